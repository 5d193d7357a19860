"""Commands to a run: each leaves one receipt, applied or refused."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import assert_never
from uuid import UUID

from django.db import transaction

from runtime.calls import wake
from runtime.commanded import Commanded
from runtime.commands import RUN_ENDED, Actor, Answer, Refusal
from runtime.event_log import Cause, LockedRun, lock_run
from runtime.event_types import TextRef
from runtime.handlers.finish import finish, withdraw
from runtime.handlers.retry import retry
from runtime.handlers.stop import stop
from runtime.models import Run, ToolCall
from runtime.receipts import once_per_command_id
from runtime.states import CALL_FINAL, CallStatus


class RunCommandKind(StrEnum):
    STOP = "stop"
    RESUME = "resume"
    RETRY = "retry"
    WITHDRAW = "withdraw"
    FINISH = "finish"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunCommand:
    command_id: str
    kind: RunCommandKind
    tool_call: UUID | None = None
    outcome: str | None = None
    reason: str | None = None

    @property
    def body(self) -> dict[str, str | None]:
        call = None if self.tool_call is None else str(self.tool_call)
        return {"tool_call": call, "outcome": self.outcome, "reason": self.reason}


@once_per_command_id
@transaction.atomic(durable=True)
def command_run(actor: Actor, run_id: UUID, command: RunCommand) -> Answer:
    """Carry out one command, once for every command id.

    Raises Run.DoesNotExist and ToolCall.DoesNotExist for what is not in the
    actor's workspace or the run.
    """
    Run.objects.get(pk=run_id, workspace=actor.workspace)
    locked = lock_run(run_id, cause=Cause(producer="runtime", actor=actor.name))
    commanded = Commanded(
        locked=locked,
        actor=actor,
        subject=locked.run,
        command_id=command.command_id,
        kind=command.kind,
        body=command.body,
    )
    if earlier := commanded.earlier():
        return earlier
    is_end = command.kind is RunCommandKind.FINISH
    note = commanded.keep(command.outcome if is_end else command.reason)
    return commanded.answer(_carry_out(locked, command, note), note)


def _carry_out(locked: LockedRun, command: RunCommand, note: TextRef | None) -> Refusal | None:
    match command.kind:
        case RunCommandKind.STOP:
            return stop(locked, note)
        case RunCommandKind.FINISH:
            return finish(locked, failed=command.outcome == "failed", outcome=note)
        case RunCommandKind.RETRY:
            return retry(locked, _call(locked, command))
        case RunCommandKind.WITHDRAW:
            return withdraw(locked, _call(locked, command))
        case RunCommandKind.RESUME:
            return _resume(locked)
        case _:
            assert_never(command.kind)


def _resume(locked: LockedRun) -> Refusal | None:
    """Have everything looked at again; it overrides nothing."""
    if locked.run.ended_as is not None:
        return RUN_ENDED
    calls = ToolCall.objects.filter(run=locked.run).exclude(execution_status__in=CALL_FINAL)
    for call in calls.exclude(execution_status=CallStatus.PROPOSED):
        wake(locked, call)
    return None


def _call(locked: LockedRun, command: RunCommand) -> ToolCall:
    if command.tool_call is None:
        raise ToolCall.DoesNotExist
    return ToolCall.objects.get(pk=command.tool_call, run=locked.run)
