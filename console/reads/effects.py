"""What a call would do, on which grounds, and whether the payment still allows it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Protocol
from uuid import UUID

from console.reads.lookup import Texts
from console.view_models.approvals import (
    EffectView,
    EvidenceView,
    PreconditionView,
    ReasoningView,
)
from console.view_models.money import money_view
from runtime.artifacts import Arguments, WithArguments, read_arguments
from runtime.capabilities import require
from runtime.models import ToolCall
from runtime.observations import observed_preconditions


class WithEffect(WithArguments, Protocol):
    """A call, or an approval of one, with what their effect comes to."""

    @property
    def amount_minor(self) -> int: ...
    @property
    def currency(self) -> str: ...
    @property
    def target(self) -> str: ...


def arguments_shown(rows: Iterable[WithArguments], *, masked: bool) -> dict[UUID, Arguments | None]:
    """Arguments by row; None where they were erased, or are large and thus personal text."""
    given = list(rows)
    hidden: dict[UUID, Arguments | None] = dict.fromkeys(row.pk for row in given)
    return hidden | read_arguments(row for row in given if not (masked and row.artifact))


def effect_of(capability_id: str, row: WithEffect, arguments: Arguments | None) -> EffectView:
    """Say an effect from the arguments it is bound to, or what is known of it without them."""
    if arguments is None:
        amount = money_view(row.amount_minor, row.currency)
        sentence = f"{amount.display} for {row.target}; the arguments cannot be shown."
        return EffectView(sentence=sentence, amount=amount, target=row.target, also=())
    effect = require(capability_id).effect(arguments)
    return EffectView(
        sentence=effect.sentence,
        amount=money_view(effect.amount.minor, effect.amount.currency),
        target=effect.target,
        also=effect.also,
    )


def preconditions_of(
    calls: Sequence[ToolCall], now: datetime
) -> dict[UUID, tuple[PreconditionView, ...]]:
    """Judge each call on the last observation that is stored of its payment."""
    judged = observed_preconditions(calls, now)
    return {
        call_id: tuple(
            PreconditionView(name=one.name, ok=one.ok, as_of=one.as_of, detail=one.detail)
            for one in found
        )
        for call_id, found in judged.items()
    }


def reasoning_texts(calls: Iterable[ToolCall]) -> Iterator[UUID | None]:
    for call in calls:
        yield call.reasoning
        yield from evidence_texts(call.evidence)


def reasoning_of(call: ToolCall, texts: Texts) -> ReasoningView:
    return ReasoningView(
        summary=texts.say(call.reasoning), evidence=evidence_of(call.evidence, texts)
    )


def evidence_of(
    pieces: Iterable[Mapping[str, str | None]], texts: Texts
) -> tuple[EvidenceView, ...]:
    """Say what was shown, piece by piece, from the ids of its words."""
    return tuple(
        EvidenceView(
            label=texts.say(_ref(piece["label"])),
            text=texts.get(_ref(piece["text"])),
            url=texts.get(_ref(piece["url"])),
        )
        for piece in pieces
    )


def evidence_texts(pieces: Iterable[Mapping[str, str | None]]) -> Iterator[UUID]:
    for piece in pieces:
        yield from (UUID(ref) for ref in piece.values() if ref)


def _ref(text: str | None) -> UUID | None:
    return UUID(text) if text else None
