"""What every command of people shares: find, lock, answer once, write the receipt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Generic, TypeVar, overload
from uuid import UUID

from approvals.models import Approval
from runtime import texts
from runtime.commands import Actor, Answer, Refusal
from runtime.event_log import Cause, LockedRun, lock_run
from runtime.event_types import TextRef
from runtime.models import ToolCall
from runtime.receipts import body_digest, earlier_answer, write_receipt

S = TypeVar("S", Approval, ToolCall)


@dataclass(frozen=True, slots=True, kw_only=True)
class Commanded(Generic[S]):
    """One command about an approval or a call, on its way through its transaction."""

    locked: LockedRun
    actor: Actor
    subject: S
    command_id: str
    kind: str
    body: dict[str, Any]

    @property
    def fingerprint(self) -> str:
        return body_digest(self.kind, self.subject.pk, self.body)

    def earlier(self) -> Answer | None:
        return earlier_answer(self.actor, self.command_id, self.fingerprint)

    @overload
    def keep(self, text: str) -> TextRef: ...
    @overload
    def keep(self, text: None) -> None: ...
    @overload
    def keep(self, text: str | None) -> TextRef | None: ...
    def keep(self, text: str | None) -> TextRef | None:
        """Store what the actor wrote; the receipt has it even if the command is refused."""
        about = texts.about_person(self.actor.person.pk)
        return texts.keep_optional(self.actor.workspace.pk, about, text)

    def answer(
        self, refusal: Refusal | None, note: TextRef | None, *, asked: UUID | None = None
    ) -> Answer:
        """Write the receipt; `asked` is the approval that a command has to wait for."""
        return write_receipt(
            self.locked,
            self.actor,
            command_id=self.command_id,
            kind=self.kind,
            target=self.subject.pk,
            fingerprint=self.fingerprint,
            refusal=refusal,
            note=note.id if note else None,
            asked=asked,
        )


def locked_approval(actor: Actor, approval_id: UUID) -> tuple[LockedRun, Approval]:
    """Lock the run first, then read the approval: every writer takes this order.

    Raises Approval.DoesNotExist for one of another workspace.
    """
    approvals = Approval.objects.filter(workspace=actor.workspace)
    run_id = approvals.values_list("run_id", flat=True).get(pk=approval_id)
    locked = lock_run(run_id, cause=Cause(producer="approvals", actor=actor.name))
    related = approvals.select_related("run", "tool_call", "policy")
    return locked, related.get(pk=approval_id)


def locked_call(actor: Actor, call_id: UUID) -> tuple[LockedRun, ToolCall]:
    """Lock the run first, then read the call. Raises ToolCall.DoesNotExist likewise."""
    calls = ToolCall.objects.filter(workspace=actor.workspace)
    run_id = calls.values_list("run_id", flat=True).get(pk=call_id)
    locked = lock_run(run_id, cause=Cause(producer="approvals", actor=actor.name))
    return locked, calls.get(pk=call_id)
