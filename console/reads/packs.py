"""The evidence of one approval, read from rows and log; the caller holds the run's lock."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any
from uuid import UUID

from approvals.models import Approval
from console.reads.approvals import approval_cards
from console.reads.calls import calls_of
from console.reads.effects import preconditions_of
from console.reads.lookup import Texts, names_of
from console.reads.receipts import receipt_view
from console.view_models.approvals import ApprovalView
from console.view_models.packs import (
    FORMAT,
    AnswerView,
    ConflictView,
    EvidencePack,
    KeptText,
    RulesView,
    SightView,
    StoredEvent,
)
from runtime import texts
from runtime.artifacts import arguments_of
from runtime.canonical import canonical
from runtime.event_log import envelope_of
from runtime.event_types import stamped
from runtime.models import Event, Observation, Receipt

# Where the log names people: in these fields of a body, and as actors.
PEOPLE = ("person", "account", "initiator", "ticket_author", "by", "confirmed_by")


def evidence_pack(approval: Approval, *, made_by: str, now: datetime) -> EvidencePack:
    """Everything but the anchors, which lie outside the database."""
    rows = list(Event.objects.filter(run=approval.run_id).order_by("position"))
    (call,) = calls_of([approval.tool_call], masked=False)
    seen = Observation.objects.filter(tool_call=approval.tool_call_id).order_by("as_of")
    return EvidencePack(
        format=FORMAT,
        made_at=now,
        made_by=made_by,
        workspace=approval.workspace_id,
        approval=_as_decided(approval, now),
        arguments=arguments_of(approval),
        conflicts=tuple(
            ConflictView(person=UUID(one["person"]), because=one["because"])
            for one in approval.conflicts
        ),
        policy=_rules(approval),
        call=call,
        observations=tuple(
            SightView(id=one.pk, as_of=one.as_of, digest=one.digest, content=one.content)
            for one in seen
        ),
        receipts=tuple(_receipts(approval)),
        people=_people(approval, rows),
        texts=tuple(_texts(approval, rows)),
        events=tuple(_stored(row) for row in rows),
        anchors=(),
    )


def _as_decided(approval: Approval, now: datetime) -> ApprovalView:
    """Later looks at the payment would judge what the effect itself left behind."""
    (card,) = approval_cards([approval], masked=False)
    if approval.claim is not None:
        return card.approval
    decided = approval.granted_at or approval.settled_at or now
    judged = preconditions_of([approval.tool_call], decided)
    return replace(card.approval, preconditions=judged[approval.tool_call_id])


def _rules(approval: Approval) -> RulesView:
    policy = approval.policy
    return RulesView(
        id=policy.pk,
        name=policy.name,
        version=policy.version,
        document=policy.document,
        author=policy.author_id,
        written_at=policy.written_at,
        activated_at=policy.activated_at,
        withdrawn_at=policy.withdrawn_at,
    )


def _receipts(approval: Approval) -> Iterator[AnswerView]:
    """What was asked of the approval or of its call, refused or not."""
    about = [approval.pk, approval.tool_call_id]
    asked = Receipt.objects.select_related("actor").filter(
        workspace=approval.workspace_id, target__in=about
    )
    rows = list(asked.order_by("received_at", "pk"))
    notes = Texts([row.note for row in rows], masked=False)
    for row in rows:
        yield AnswerView(receipt=receipt_view(row), note=notes.get(row.note))


def _people(approval: Approval, rows: Sequence[Event]) -> dict[str, str]:
    said = [row.actor for row in rows]
    for row in rows:
        body = json.loads(row.body)
        said += [str(body[field]) for field in PEOPLE if body.get(field)]
    said += [one["person"] for one in approval.conflicts]
    if approval.policy.author_id:
        said.append(str(approval.policy.author_id))
    names = names_of(filter(None, map(_person, said)))
    return {str(key): name for key, name in sorted(names.items())}


def _person(said: str) -> UUID | None:
    """`person:<id>` or a bare id; None for a policy and for the system itself."""
    kind, _, name = said.rpartition(":")
    return UUID(name) if kind == "person" or (not kind and name != "system") else None


def _texts(approval: Approval, rows: Sequence[Event]) -> Iterator[KeptText]:
    """The words behind the run and this call; those of its other calls are not asked for."""
    about = {None, approval.tool_call_id}
    bodies = [json.loads(row.body) for row in rows if row.tool_call_id in about]
    refs = {UUID(ref["id"]): ref["digest"] for body in bodies for ref in text_refs(body)}
    words, keys = texts.read_texts(refs), texts.digest_keys(refs)
    for key, digest in sorted(refs.items()):
        yield KeptText(
            id=key,
            digest=digest,
            erased=key not in keys,
            text=words.get(key, texts.ERASED),
            digest_key=keys[key].hex() if key in keys else None,
        )


def text_refs(value: Any) -> Iterator[dict[str, str]]:  # noqa: ANN401 - any JSON value
    """Every reference to a personal text in a body, however deep."""
    match value:
        case {"id": str(), "digest": str()} if len(value) == len(("id", "digest")):
            yield value
        case dict():
            for part in value.values():
                yield from text_refs(part)
        case list():
            for part in value:
                yield from text_refs(part)


def _stored(row: Event) -> StoredEvent:
    return StoredEvent(
        envelope=canonical(stamped(envelope_of(row))),
        body=row.body,
        prev_hash=row.prev_hash,
        hash=row.hash,
    )
