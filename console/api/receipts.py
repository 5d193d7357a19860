"""The answer to a command, and that answer again for whoever lost it."""

from __future__ import annotations

from dataclasses import replace
from typing import assert_never

from rest_framework.request import Request
from rest_framework.response import Response

from console.api.base import ApiView, answer
from console.api.problems import NOT_FOUND, problem
from console.api.schema import describe
from console.reads import receipt_view
from console.reads.lookup import actors_of
from console.view_models.receipts import ReceiptView
from runtime.canonical import unsafe
from runtime.commands import Answer, Applied, Refusal, Refused
from runtime.models import Receipt


def command_answer(outcome: Answer) -> Response:
    match outcome:
        case Applied(receipt=receipt, replayed=replayed):
            return answer(receipt_view(receipt, replayed=replayed), receipt.http_status)
        case Refused(refusal=refusal, receipt=None):
            return problem(refusal)
        case Refused(refusal=refusal, replayed=replayed):
            extra = {**refusal.extra, **_by(refusal), "replayed": replayed}
            return problem(replace(refusal, extra=extra))
        case _:
            assert_never(outcome)


def _by(refusal: Refusal) -> dict[str, str]:
    """Receipts, like the log, hold ids: who settled it gets their name only here."""
    by = refusal.extra.get("by")
    return {} if by is None else {"by": actors_of([by])[by]}


class ReceiptResource(ApiView):
    @describe(
        "read_receipt",
        "The caller's own receipt of a command",
        answers={200: ReceiptView},
        problems={404: "not_found"},
    )
    def get(self, _request: Request, command_id: str) -> Response:
        if unsafe(command_id):
            # No store can hold it, so nobody's command has this id.
            return problem(NOT_FOUND)
        actor = self.caller.actor
        receipt = (
            Receipt.objects.select_related("actor")
            .filter(workspace=actor.workspace, actor=actor.person, command_id=command_id)
            .first()
        )
        return problem(NOT_FOUND) if receipt is None else answer(receipt_view(receipt))
