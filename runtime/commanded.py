"""One command on its way through its transaction: answered once, and on its receipt."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, overload
from uuid import UUID

from django.db.models import Model

from runtime import texts
from runtime.commands import Actor, Answer, Refusal
from runtime.event_log import LockedRun
from runtime.event_types import TextRef
from runtime.receipts import Locked, body_digest, earlier_answer, write_receipt

L = TypeVar("L", bound=Locked)
S = TypeVar("S", bound=Model)


@dataclass(frozen=True, slots=True, kw_only=True)
class Commanded(Generic[L, S]):
    """`locked` is what the command holds, `subject` what it is about; they may be the same."""

    locked: L
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
        with self.keeping() as kept:
            return kept.keep_optional(text)

    def keeping(self) -> AbstractContextManager[texts.Keeper]:
        """Keep texts by the actor, and about whomever the run is about, if there is a run."""
        by = texts.about_person(self.actor.person.pk)
        about = texts.about_run(self.locked.run) if isinstance(self.locked, LockedRun) else by
        return texts.keeping(self.actor.workspace.pk, about, by=by)

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
