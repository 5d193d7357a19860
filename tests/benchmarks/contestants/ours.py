"""Ours: the handlers and the worker's steps as they are, each in its own transaction."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from itertools import count
from types import SimpleNamespace
from unittest.mock import patch
from uuid import UUID, uuid4

from django.db import connection

from approvals.commands import DecideApproval
from approvals.handlers import decide
from approvals.models import Approval
from approvals.setup import add_member
from approvals.states import Decision, Role
from runtime import doorbell, wake_ups
from runtime.commands import Actor, Applied
from runtime.data_keys import seal
from runtime.execution import advance
from runtime.execution.attempts import Departure, mark_sent
from runtime.execution.reading import find_account, read_payment
from runtime.execution.sending import record_answer
from runtime.execution.spending import spend
from runtime.handlers import Propose, Proposed, propose
from runtime.models import ProviderAccount, ToolCall
from runtime.providers.answers import Answer, Completed
from runtime.providers.facts import PaymentFacts
from runtime.providers.profiles import PROFILES, Profile
from runtime.providers.protocol import Provider, RefundOrder
from tests.factories import World, make_run, make_world

numbers = count(1)


class NoOp(Provider):
    """The far side of the wire: every payment is good, and every refund is done at once."""

    @property
    def profile(self) -> Profile:
        return PROFILES["key_and_lookup"]

    def observe(self, payment: str) -> PaymentFacts:
        return PaymentFacts(
            captured_minor=1_000_000,
            refunded_minor=0,
            currency="USD",
            disputed=False,
            refunds=(),
            complete=True,
        )

    def refund(self, order: RefundOrder) -> Answer:
        return Completed(result_ref=f"re_{order.key[:20]}")


def prepare() -> World:
    """Make a workspace, and script what is beyond this process and the database.

    That is the provider, and whom wake-ups and hints go to: nobody listens to the others'.
    """
    world = make_world("bench")
    ProviderAccount.objects.create(
        workspace=world.workspace,
        provider="stripe",
        label="no-op",
        api_base="https://provider.invalid",
        secret=seal("none"),
    )
    provider = NoOp()
    # The module's name is also its function's.
    advancing = import_module("runtime.execution.advance")
    mute = SimpleNamespace(send_task=lambda *_args, **_options: None, group_send=_unheard)
    patch.object(advancing, "open_provider", lambda _account: provider).start()
    patch.object(wake_ups, "current_app", mute).start()
    patch.object(doorbell, "get_channel_layer", lambda: mute).start()
    return world


async def _unheard(_group: str, _message: dict[str, object]) -> None:
    pass


class Ours:
    """One client on a run of its own, with a reviewer of its own."""

    def __init__(self, world: World) -> None:
        self.agent = world.actor("agent")
        name = f"reviewer-{uuid4().hex}"
        member = add_member(world.workspace, name, Role.REVIEWER, groups=["seniors"])
        self.reviewer = Actor(workspace=world.workspace, person=member.person, surface="browser")
        self.run = make_run(world, subject={"ticket": uuid4().hex})

    def cycle(self) -> None:
        call = self.propose()
        self.decide(call)
        self.advance(call)

    def propose(self) -> ToolCall:
        command = Propose(
            capability="refund-payment",
            intent=f"intent-{uuid4().hex}",
            arguments={
                "payment": f"pi_{next(numbers)}",
                "amount": {"minor": 100, "currency": "USD"},
                "reason": "requested_by_customer",
            },
            summary="The parcel never arrived",
        )
        proposed = propose(self.agent, self.run.pk, command)
        assert isinstance(proposed, Proposed), proposed
        return proposed.call

    def decide(self, call: ToolCall) -> None:
        command = DecideApproval(
            command_id=uuid4().hex,
            decision=Decision.APPROVE,
            revision=1,
            digest=call.digest,
        )
        answer = decide(self.reviewer, self.asked(call), command)
        assert isinstance(answer, Applied), answer

    def asked(self, call: ToolCall) -> UUID:
        """Find the question, as the page does that shows it."""
        found: UUID = Approval.objects.values_list("pk", flat=True).get(tool_call=call.pk)
        return found

    def advance(self, call: ToolCall) -> None:
        """T0, T1, T2, the request and T3."""
        advance(call.pk)
        status = ToolCall.objects.values_list("execution_status", flat=True)
        assert status.get(pk=call.pk) == "completed"

    def steps(self) -> dict[str, Callable[[], None]]:
        """A cycle in its transactions, for looking at each; what a worker does is in advance()."""
        at = SimpleNamespace()
        provider = NoOp()

        def propose() -> None:
            at.call = self.propose()

        def look_and_spend() -> None:
            call = ToolCall.objects.get(pk=at.call.pk)
            account = find_account(call)
            assert account is not None
            at.claim = spend(call.pk, account, read_payment(call, provider))

        def record() -> None:
            record_answer(at.claim, Completed(result_ref=f"re_{at.call.pk.hex}"))

        return {
            "propose": propose,
            "decide": lambda: self.decide(at.call),
            "look at the payment and spend": look_and_spend,
            "mark sent": lambda: assert_leaves(mark_sent(at.claim)),
            "record the answer": record,
        }

    def close(self) -> None:
        connection.close()


def assert_leaves(departure: Departure | None) -> None:
    assert departure is not None
