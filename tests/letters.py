"""A capability as somebody may plug one in: its arguments can be longer than any fact."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
from django.db import transaction

from approvals.models import Authority
from approvals.policies import PolicyDocument
from approvals.rules import activate_policy, write_policy
from approvals.starter import REFUNDS
from runtime import capabilities, texts
from runtime.artifacts import MOST_INLINE_BYTES, keep_large
from runtime.capabilities.protocol import Arguments, Parsed
from runtime.capabilities.refund_payment import RefundPayment
from runtime.event_log import Cause, lock_run
from runtime.models import Artifact, Workspace

NAME = "refund-with-letter"
LETTER = "Dear customer, Zoë says sorry. " * 4_000


@dataclass(frozen=True, slots=True, kw_only=True)
class RefundWithLetter(RefundPayment):
    """Refunds like the original; what it was given to send is kept in `sent`."""

    name: str = NAME
    sent: list[Arguments]

    def parse(self, arguments: Arguments) -> Parsed:
        parsed = RefundPayment().parse(_refund(arguments))
        kept = {**parsed.arguments, "letter": str(arguments["letter"])}
        return Parsed(arguments=kept, amount=parsed.amount, target=parsed.target)

    def effect(self, arguments: Arguments) -> Any:
        return RefundPayment().effect(_refund(arguments))

    def risk(self, arguments: Arguments) -> Any:
        return RefundPayment().risk(_refund(arguments))

    def preconditions(self, arguments: Arguments, *facts: Any, **more: Any) -> Any:
        return RefundPayment().preconditions(_refund(arguments), *facts, **more)

    def perform(self, provider: Any, arguments: Arguments, request: Any) -> Any:
        self.sent.append(arguments)
        return RefundPayment().perform(provider, _refund(arguments), request)


def _refund(arguments: Arguments) -> Arguments:
    return {name: value for name, value in arguments.items() if name != "letter"}


def plug_in(monkeypatch: pytest.MonkeyPatch) -> RefundWithLetter:
    """Register it as an engineer would, until the test is over."""
    letters = RefundWithLetter(sent=[])
    for name in (letters.name, letters.id):
        monkeypatch.setitem(capabilities.BY_NAME, name, letters)
    return letters


def permit(workspace: Workspace) -> None:
    """The starting policy and limits, for letters too."""
    document = PolicyDocument(**REFUNDS.model_dump() | {"capability": NAME})
    activate_policy(write_policy(workspace, "letters", document, author=None))
    for row in Authority.objects.filter(group__workspace=workspace):
        row.pk, row.capability = None, NAME
        row.save(force_insert=True)


def letter_arguments(payment: str = "pi_1", letter: str = LETTER) -> Arguments:
    amount = {"minor": 500, "currency": "USD"}
    return {
        "payment": payment,
        "amount": amount,
        "reason": "requested_by_customer",
        "letter": letter,
    }


def make_artifact(run_id) -> Artifact:
    """What a capability with larger arguments than ours would leave."""
    with transaction.atomic():
        locked = lock_run(run_id, cause=Cause(producer="test"))
        with texts.keeping(locked.run.workspace_id, texts.about_run(locked.run)) as kept:
            artifact = keep_large(locked, kept, {"letter": "x" * MOST_INLINE_BYTES})
    return Artifact.objects.get(pk=artifact)
