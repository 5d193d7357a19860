"""Calls handed to people by the workers' own steps; only the provider's words are made up."""

from __future__ import annotations

from itertools import count
from typing import Any

from approvals import handlers
from approvals.commands import ObserveOutcome, SettleCall
from approvals.models import Approval
from runtime.commands import Answer
from runtime.event_log import database_now
from runtime.execution import looking_up
from runtime.execution.attempts import mark_sent
from runtime.execution.reading import Reading
from runtime.execution.sending import record_answer
from runtime.execution.spending import spend
from runtime.models import ProviderAccount, Run, ToolCall
from runtime.providers.answers import Answer as ProviderAnswer
from runtime.providers.answers import Unknown
from runtime.providers.facts import PaymentFacts, RefundFacts
from runtime.providers.profiles import PROFILES
from tests.factories import World, approve, make_grant

numbers = count(1)


def reading_of(call: ToolCall, *refunds: RefundFacts) -> Reading:
    """A payment with plenty left and these refunds, read just now."""
    facts = PaymentFacts(
        captured_minor=100_000_00,
        refunded_minor=0,
        currency=call.currency,
        disputed=False,
        refunds=refunds,
        complete=True,
    )
    return Reading(facts=facts, as_of=database_now())


def make_sent(
    world: World, run: Run | None = None, *, answer: ProviderAnswer | None = None, **changes
) -> ToolCall:
    """A call that was granted, spent, sent and answered: with nothing of use, unless given."""
    account, _ = ProviderAccount.objects.get_or_create(
        workspace=world.workspace, provider="stripe", defaults={"label": "t", "secret": b""}
    )
    call = make_grant(world, run, **changes).tool_call
    claim = spend(call.pk, account, reading_of(call))
    assert claim is not None
    assert mark_sent(claim) is not None
    record_answer(claim, answer or Unknown(code="timeout"))
    return ToolCall.objects.get(pk=call.pk)


def make_handoff(world: World, run: Run | None = None, **changes) -> ToolCall:
    """A call whose answer was lost, at a provider that cannot be asked about it."""
    call = make_sent(world, run, **changes)
    look_up = looking_up.begin(call.pk)
    assert look_up is not None
    looking_up.conclude(look_up, reading_of(call), PROFILES["neither"])
    call.refresh_from_db()
    assert call.execution_status == "manual_handoff"
    return call


def find_late(call: ToolCall) -> None:
    """A worker looks once more, and the provider shows our refund after all."""
    look_up = looking_up.begin(call.pk)
    if look_up is None:
        return
    ours = RefundFacts(
        id=f"re_late_{next(numbers)}",
        amount_minor=call.amount_minor,
        currency=call.currency,
        status="succeeded",
        intent=call.intent,
        external_request_id=call.external_request_id,
    )
    looking_up.conclude(look_up, reading_of(call, ours), PROFILES["key_and_lookup"])


def settle(world: World, name: str, call: ToolCall, outcome="failed", **changes) -> Answer:
    command: dict[str, Any] = {
        "command_id": f"settle-{next(numbers)}",
        "outcome": outcome,
        "evidence": "The provider's dashboard",
        "reason": "Looked it up by hand",
    }
    command |= changes
    return handlers.settle(world.actor(name), call.pk, SettleCall(**command))


def observe_outcome(
    world: World, name: str, call: ToolCall, status="confirmed_success", **changes
) -> Answer:
    command: dict[str, Any] = {
        "command_id": f"observe-{next(numbers)}",
        "status": status,
        "evidence": [{"label": "Bank statement", "url": "https://bank.example/1"}],
    }
    command |= changes
    return handlers.observe(world.actor(name), call.pk, ObserveOutcome(**command))


def make_settlement(world: World, call: ToolCall | None = None, **changes) -> Approval:
    """The question that `admin`'s word about a call on the desk raises."""
    call = call or make_handoff(world)
    settle(world, "admin", call, "completed", **changes)
    return Approval.objects.get(tool_call=call, status="pending")


def make_inconclusive(world: World) -> ToolCall:
    """A call that two admins say was executed, and whose outcome nobody has seen."""
    approval = make_settlement(world)
    approve(world, "admin2", approval)
    return ToolCall.objects.get(pk=approval.tool_call_id)


def tracks(call: ToolCall) -> tuple[str, str]:
    """How its execution stands, and how its outcome."""
    call.refresh_from_db()
    return call.execution_status, call.verification_status
