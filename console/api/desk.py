"""What only people know: what became of a call on their desk, and what they saw of its effect."""

from __future__ import annotations

from uuid import UUID

from rest_framework.request import Request
from rest_framework.response import Response

from approvals.handlers import observe, settle
from console.api.base import ApiView, found
from console.api.permissions import Act, require
from console.api.receipts import command_answer
from console.api.schema import describe
from console.api.schemas import ObservationBody, SettlementBody
from console.api.tool_calls import visible_calls
from console.view_models.receipts import AskedReceiptView, ReceiptView


class SettlementCollection(ApiView):
    @describe(
        "settle_tool_call",
        "Say what became of a call that was handed to people; completed asks another admin",
        body=SettlementBody,
        answers={200: ReceiptView, 202: AskedReceiptView},
        problems={
            403: "not_authorized",
            404: "not_found",
            409: "not_handed_off, settlement_pending",
            422: "idempotency_mismatch",
        },
    )
    def post(self, _request: Request, call_id: UUID) -> Response:
        call = found(visible_calls(self.caller), call_id)
        require(self.caller, Act.ADMINISTER)
        body = self.body(SettlementBody)
        return command_answer(settle(self.caller.actor, call.pk, body))


class ObservationCollection(ApiView):
    @describe(
        "observe_tool_call",
        "Say what was seen of a call's effect",
        body=ObservationBody,
        answers={200: ReceiptView},
        problems={
            403: "not_authorized",
            404: "not_found",
            409: "not_observable, already_confirmed",
            422: "idempotency_mismatch",
        },
    )
    def post(self, _request: Request, call_id: UUID) -> Response:
        call = found(visible_calls(self.caller), call_id)
        require(self.caller, Act.ADMINISTER)
        body = self.body(ObservationBody)
        return command_answer(observe(self.caller.actor, call.pk, body))
