"""Erasing a person: what is kept about a customer, or an account with what its person wrote."""

from __future__ import annotations

from rest_framework.request import Request
from rest_framework.response import Response

from approvals.handlers import erase_person
from approvals.models import Membership
from console.api.base import ApiView
from console.api.permissions import Act, require
from console.api.receipts import command_answer
from console.api.schema import describe
from console.api.schemas import ErasureBody
from console.live.notices import erased
from console.view_models.receipts import ReceiptView
from runtime.commands import Applied


class ErasureCollection(ApiView):
    @describe(
        "erase_person",
        "Erase a person: a customer, whoever's order it is, or a user; nothing brings it back",
        body=ErasureBody,
        answers={200: ReceiptView},
        problems={
            403: "not_authorized, conflict_of_interest",
            409: "nothing_to_erase, calls_open, last_admin",
            422: "idempotency_mismatch",
        },
    )
    def post(self, _request: Request) -> Response:
        require(self.caller, Act.ADMINISTER)
        body, workspace = self.body(ErasureBody), self.caller.actor.workspace
        members = Membership.objects.filter(workspace=workspace, person__username=body.user)
        person = members.values_list("person", flat=True).first()
        outcome = erase_person(self.caller.actor, body)
        if isinstance(outcome, Applied):
            erased(workspace.pk, person)
        return command_answer(outcome)
