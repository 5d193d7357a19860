"""Start a run, once for every request key."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Literal
from uuid import UUID

from django.db import transaction

from runtime import fingerprints, texts
from runtime.canonical import canonical
from runtime.commands import Actor, Refusal
from runtime.constraints import RequestKeyTakenError, rules_named
from runtime.event_log import Cause, create_run, database_now
from runtime.events import RunStarted
from runtime.fingerprints import fingerprint, order_key
from runtime.models import RequestKey, Run
from runtime.projections import record_run
from runtime.receipts import MISMATCH

KEY_LIFE = timedelta(hours=24)
ENDPOINT = "runs"


@dataclass(frozen=True, slots=True, kw_only=True)
class StartRun:
    """`subject` holds at least what the job is about, usually an `order_id`.

    Its `customer`, any text, says whose data all of it is; else its order stands for them.
    `initiator` and `ticket_author` are people: declaring them only ever adds to
    those who may not decide.
    """

    agent: str
    goal: str
    harness: Literal["internal", "external"]
    subject: dict[str, Any]
    success_criterion: str | None = None
    initiator: UUID | None = None
    ticket: dict[str, Any] | None = None
    ticket_author: UUID | None = None
    request_key: str | None = None
    request: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Started:
    run: Run
    created: bool


def start_run(actor: Actor, command: StartRun) -> Started | Refusal:
    """Start a run; the same request key and body again answer the same run."""
    try:
        with rules_named():
            return _start(actor, command)
    except RequestKeyTakenError:
        # Another request with this key won the race and is committed now.
        return _start(actor, command)


@transaction.atomic(durable=True)
def _start(actor: Actor, command: StartRun) -> Started | Refusal:
    if earlier := _earlier(actor, command):
        return earlier
    run = Run(workspace=actor.workspace, account=actor.person)
    locked = create_run(run, cause=Cause(producer="runtime", actor=actor.name))
    record_run(locked, _started(actor, command, run))
    if command.request_key is not None:
        RequestKey.objects.create(
            workspace=actor.workspace,
            actor=actor.person,
            endpoint=ENDPOINT,
            key=command.request_key,
            body_digest=fingerprint(command.request),
            made=run.pk,
            received_at=locked.now,
        )
    return Started(run=run, created=True)


def _earlier(actor: Actor, command: StartRun) -> Started | Refusal | None:
    if command.request_key is None:
        return None
    keys = RequestKey.objects.filter(
        workspace=actor.workspace, actor=actor.person, endpoint=ENDPOINT, key=command.request_key
    )
    keys.filter(received_at__lte=database_now() - KEY_LIFE).delete()
    earlier = keys.first()
    if earlier is None:
        return None
    if earlier.body_digest != fingerprint(command.request):
        return MISMATCH
    return Started(run=Run.objects.get(pk=earlier.made), created=False)


def _started(actor: Actor, command: StartRun, run: Run) -> RunStarted:
    key = order_key(command.subject.get("order_id"))
    about = fingerprints.about(key, command.subject.get("customer"))
    ticket = None if command.ticket is None else canonical(command.ticket)
    with texts.keeping(actor.workspace.pk, about or texts.about_run(run)) as kept:
        return RunStarted(
            agent=command.agent,
            account=actor.person.pk,
            token=actor.token,
            harness=command.harness,
            goal=kept.keep(command.goal),
            success_criterion=kept.keep_optional(command.success_criterion),
            order_key=key,
            about=about,
            subject=kept.keep(canonical(command.subject)),
            initiator=command.initiator,
            ticket=kept.keep_optional(ticket),
            ticket_author=command.ticket_author,
        )
