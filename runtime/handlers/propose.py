"""Take in what an agent proposes to do: a new call, the same call, or a revision."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, assert_never
from uuid import UUID

from django.db import transaction
from django.db.models import Count, Q
from pydantic import ValidationError

from runtime import events as e
from runtime import texts
from runtime.artifacts import keep_large
from runtime.calls import authorize, refuse
from runtime.canonical import effect_digest
from runtime.capabilities import Capability, Parsed, capability
from runtime.commands import RUN_ENDED, Actor, Refusal
from runtime.constraints import IntentTakenError, rules_named
from runtime.event_log import Cause, LockedRun, lock_run
from runtime.evidence import EvidenceText, keep_evidence
from runtime.gates import Admission, Go, NeedsPerson, Never, gate
from runtime.models import Run, ToolCall
from runtime.projections import record_call
from runtime.states import CALL_FINAL, CallStatus
from runtime.wake_ups import publish

MOST_OPEN_IN_RUN = 50
MOST_OPEN_OF_AGENT = 1000
TOO_MANY_OPEN = Refusal(
    http_status=429,
    code="too_many_open",
    detail="Too many calls of this run or agent are still open.",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Propose:
    capability: str
    intent: str
    arguments: dict[str, Any]
    summary: str
    evidence: tuple[EvidenceText, ...] = ()
    turn_id: str | None = None
    decide_within_s: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposed:
    call: ToolCall
    created: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A proposal whose capability and arguments have been understood."""

    command: Propose
    capability: Capability
    parsed: Parsed

    @property
    def digest(self) -> str:
        return effect_digest(self.capability.id, self.parsed.arguments)


def propose(actor: Actor, run_id: UUID, command: Propose) -> Proposed | Refusal:
    """Record a proposal and ask the gate about it.

    Raises Run.DoesNotExist for a run of another workspace or account.
    """
    found = capability(command.capability)
    if found is None:
        return invalid([("capability", f"There is no capability {command.capability!r}.")])
    try:
        parsed = found.parse(command.arguments)
    except ValidationError as error:
        return invalid(_problems(error))
    asked = Asked(command=command, capability=found, parsed=parsed)
    try:
        with rules_named():
            return _propose(actor, run_id, asked)
    except IntentTakenError:
        return intent_taken(command.intent)


def invalid(problems: list[tuple[str, str]]) -> Refusal:
    errors = [{"field": field, "detail": detail} for field, detail in problems]
    return Refusal(
        http_status=422,
        code="invalid",
        detail="Some fields are not valid.",
        extra={"errors": errors},
    )


def intent_taken(intent: str) -> Refusal:
    return Refusal(
        http_status=409, code="intent_taken", detail=f"Another run already holds {intent!r}."
    )


@transaction.atomic(durable=True)
def _propose(actor: Actor, run_id: UUID, asked: Asked) -> Proposed | Refusal:
    locked = lock_run(run_id, cause=Cause(producer="runtime", actor=actor.name))
    if (locked.run.workspace_id, locked.run.account_id) != (actor.workspace.pk, actor.person.pk):
        raise Run.DoesNotExist
    earlier = latest_call(locked.run, asked.command.intent)
    if earlier is not None and earlier.run_id != run_id:
        return intent_taken(asked.command.intent)
    if earlier is not None and earlier.digest == asked.digest:
        return Proposed(call=earlier, created=False)
    if refusal := _refusal(locked, earlier):
        return refusal
    with locked.together():
        if earlier is None:
            return Proposed(call=_new_call(locked, asked), created=True)
        fields, artifact = _proposal(locked, asked, earlier)
        record_call(locked, earlier, e.ToolCallRevised(**fields), artifact_id=artifact)
        settle_admission(locked, earlier, gate().revise(locked, earlier))
        return Proposed(call=earlier, created=False)


def latest_call(run: Run, intent: str) -> ToolCall | None:
    calls = ToolCall.objects.filter(workspace_id=run.workspace_id, intent=intent)
    return calls.order_by("-epoch").first()


def settle_admission(locked: LockedRun, call: ToolCall, verdict: Admission) -> None:
    """Act on the gate's answer, and have the provider looked at for the first time."""
    match verdict:
        case Go(not_before=not_before):
            authorize(locked, call, not_before=not_before)
        case Never(code=code, detail=detail):
            refuse(locked, call, code=code, detail=detail)
        case NeedsPerson(approval_id=_):
            transaction.on_commit(partial(publish, "runtime.observe", call.pk))
        case _:
            assert_never(verdict)


def _refusal(locked: LockedRun, earlier: ToolCall | None) -> Refusal | None:
    if locked.is_stopping:
        return RUN_ENDED
    if earlier is not None and earlier.execution_status != CallStatus.PROPOSED:
        detail = f"The call is {earlier.execution_status}; its arguments can no longer change."
        return Refusal(http_status=409, code="not_revisable", detail=detail)
    if earlier is None and too_many_open(locked.run):
        return TOO_MANY_OPEN
    return None


def too_many_open(run: Run) -> bool:
    open_calls = ToolCall.objects.exclude(execution_status__in=CALL_FINAL)
    of_agent = open_calls.filter(workspace_id=run.workspace_id, run__account=run.account_id)
    counted: dict[str, int] = of_agent.aggregate(
        of_agent=Count("pk"), of_run=Count("pk", filter=Q(run=run))
    )
    return counted["of_run"] >= MOST_OPEN_IN_RUN or counted["of_agent"] >= MOST_OPEN_OF_AGENT


def _new_call(locked: LockedRun, asked: Asked) -> ToolCall:
    call = ToolCall(
        workspace_id=locked.run.workspace_id,
        run=locked.run,
        turn_id=asked.command.turn_id,
        capability=asked.capability.id,
    )
    fields, artifact = _proposal(locked, asked, None)
    proposed = e.ToolCallProposed(
        **fields,
        capability=asked.capability.id,
        intent=asked.command.intent,
        epoch=1,
        retry_of=None,
        idempotency_key=f"{asked.capability.name}:{asked.command.intent}",
    )
    record_call(locked, call, proposed, artifact_id=artifact)
    settle_admission(locked, call, gate().admit(locked, call))
    return call


def _proposal(
    locked: LockedRun, asked: Asked, earlier: ToolCall | None
) -> tuple[dict[str, Any], UUID | None]:
    """The fields of the fact, and the artifact that has its arguments where they are large."""
    amount = asked.parsed.amount
    run = locked.run
    with texts.keeping(run.workspace_id, texts.about_run(run)) as kept:
        reasoning = kept.keep(asked.command.summary)
        evidence = keep_evidence(kept, asked.command.evidence)
        artifact = keep_large(locked, kept, asked.parsed.arguments)
    fields = {
        "revision": 1 if earlier is None else earlier.revision + 1,
        "arguments": {} if artifact else asked.parsed.arguments,
        "digest": asked.digest,
        "amount_minor": amount.minor,
        "currency": amount.currency,
        "target": asked.parsed.target,
        "reasoning": reasoning,
        "evidence": evidence,
        "decide_within_s": asked.command.decide_within_s,
    }
    return fields, artifact


def _problems(error: ValidationError) -> list[tuple[str, str]]:
    return [
        (".".join(["arguments", *map(str, problem["loc"])]), problem["msg"])
        for problem in error.errors(include_url=False)
    ]
