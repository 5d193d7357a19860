"""Erase a person: what is kept about a customer, or an account with what its person wrote."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final
from uuid import UUID

from approvals.access import revoke_token
from approvals.administration import Whom
from approvals.changes import record_change
from approvals.models import AccessToken, Approval, Membership
from approvals.setup import terms_of
from approvals.states import ApprovalStatus, ChangeKind, ErasureReason
from runtime import fingerprints, texts
from runtime.commands import Actor, Refusal
from runtime.erasing import Held, erase, hold
from runtime.models import Person, Run, Workspace

NOTHING_KEPT: Final = Refusal(
    http_status=409,
    code="nothing_to_erase",
    detail="Nothing is kept about such a person here, or not any more.",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """Whoever is meant, and what is held of theirs until the transaction ends."""

    subjects: tuple[str, ...]
    membership: Membership | None
    held: Held


def find(workspace: Workspace, whom: Whom) -> Found:
    """Hold everything of a person; the caller has locked the workspace, in a transaction."""
    membership = _membership(workspace, whom.user) if whom.user else None
    subjects = _subjects(workspace, whom, membership)
    return Found(subjects=subjects, membership=membership, held=hold(workspace.pk, subjects))


@dataclass(frozen=True, slots=True, kw_only=True)
class Erased:
    """How much is gone; `person` is whose account is."""

    texts: int
    runs: int
    person: UUID | None


def refusal(found: Found) -> Refusal | None:
    """Why they cannot be erased now."""
    if not found.held.keys and found.membership is None:
        return NOTHING_KEPT
    calls = found.held.open_calls + _claimed(found.membership)
    if not calls:
        return None
    return Refusal(
        http_status=409,
        code="calls_open",
        detail="Calls are open about which somebody may have to read it: end them first.",
        extra={"tool_calls": [str(call) for call in calls]},
    )


def erase_found(
    workspace: Workspace, found: Found, reason: ErasureReason, *, by: Actor | None
) -> Erased:
    """The record that stays holds ids and keyed digests, never a name."""
    runs = found.held.runs.count()
    erased = erase(found.held)
    if found.membership is not None:
        _end(found.membership, by)
    after = {"reason": reason, "texts": erased, "runs": runs}
    for subject in found.subjects:
        record_change(workspace, ChangeKind.PERSON_ERASED, subject, by=by, after=after)
    person = found.membership.person_id if found.membership else None
    return Erased(texts=erased, runs=runs, person=person)


def _membership(workspace: Workspace, username: str) -> Membership | None:
    related = Membership.objects.select_related("person", "workspace")
    return related.filter(workspace=workspace, person__username=username).first()


def _subjects(workspace: Workspace, whom: Whom, membership: Membership | None) -> tuple[str, ...]:
    """An order means the person whose it is, by whatever its runs say of them."""
    if whom.customer is not None:
        return tuple(filter(None, [fingerprints.about(None, whom.customer)]))
    if whom.order is not None:
        key = fingerprints.order_key(whom.order)
        named = Run.objects.filter(workspace=workspace, order_key=key).values_list("about")
        whose = {about for (about,) in named} | {fingerprints.about(key)}
        return tuple(sorted(filter(None, whose)))
    return (texts.about_person(membership.person_id),) if membership else ()


def _claimed(membership: Membership | None) -> list[object]:
    """Calls that somebody is asked about in this person's own words."""
    if membership is None:
        return []
    asked = Approval.objects.filter(
        workspace=membership.workspace,
        status=ApprovalStatus.PENDING,
        claim__by=f"person:{membership.person_id}",
    )
    return list(asked.order_by("tool_call").values_list("tool_call", flat=True))


def _end(membership: Membership, by: Actor | None) -> None:
    """Nobody comes through this membership again, and nobody can tell whose it was."""
    workspace, person = membership.workspace, membership.person
    tokens = AccessToken.objects.select_related("workspace").filter(workspace=workspace)
    for token in tokens.filter(person=person, revoked_at=None):
        revoke_token(token, by=by)
    before = terms_of(membership)
    membership.active = False
    membership.save(update_fields=["active"])
    if (after := terms_of(membership)) != before:
        changed = ChangeKind.MEMBER_CHANGED
        record_change(workspace, changed, str(person.pk), by=by, before=before, after=after)
    if not Membership.objects.filter(person=person, active=True).exists():
        _unname(person)


def _unname(person: Person) -> None:
    person.username = f"erased-{person.pk}"
    person.first_name = person.last_name = person.email = ""
    person.time_zone, person.last_login, person.is_active = "UTC", None, False
    person.set_unusable_password()
    person.save()
