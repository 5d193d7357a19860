"""E15: PostgreSQL is stopped hard, again and again, under approvals: nothing of them is lost."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from itertools import cycle
from signal import SIGKILL, SIGQUIT
from typing import Any, TypeVar

import httpx
import pytest
from django.db import connection

from approvals.models import Approval, Consumption
from runtime.models import Outbox, ToolCall, WorkspaceFeed
from tests.scenarios.processes import need
from tests.scenarios.refunds import new
from tests.scenarios.stored import stored_in
from tests.stack import Stack, is_confirmed, running_stack

pytestmark = pytest.mark.drill
T = TypeVar("T")
HANDS = 4
# So many approvals between one stop and the next.
APART = 13
PERSEVERE_S = 90


@pytest.fixture
def durable() -> Iterator[Stack]:
    """A demo of its own, whose database really writes before it says so."""
    with running_stack("--no-tickets") as stack:
        need(stack, "postgres")
        stack.sandbox.webhooks("off")
        yield stack


def persevere(ask: Callable[[], T]) -> T:
    """Ask again what may be asked again, until the database is back; the last error stands."""
    deadline = time.monotonic() + PERSEVERE_S
    while True:
        try:
            return ask()
        except (httpx.TransportError, AssertionError):
            if time.monotonic() > deadline:
                raise
            time.sleep(0.2)


def refund_one(stack: Stack) -> dict[str, Any]:
    """Propose a refund and approve it; each step is the same command however often it is sent."""
    agent, reviewer = stack.api("agent"), stack.api("reviewer")
    order, payment = new("order"), stack.sandbox.payment(10_000)["id"]
    body = {
        "agent": "E15",
        "goal": "Give it back",
        "success_criterion": "The money is back",
        "subject": {"order_id": order},
        "harness": "external",
    }
    run = persevere(lambda: agent.post("/runs", body, **{"Idempotency-Key": order}))
    call = persevere(lambda: agent.propose(run, payment, f"refund {order}"))
    persevere(lambda: reviewer.approve(call))
    return {"id": call["id"], "intent": call["intent"]}


def stop_now_and_then(stack: Stack, works: list[Future[dict[str, Any]]]) -> int:
    """Stop the database hard whenever so many more are approved; answer how often that was."""
    for stops, how in enumerate(cycle((SIGKILL, SIGQUIT))):
        while (done := sum(work.done() for work in works)) < APART * (stops + 1):
            if done == len(works):
                return stops
            time.sleep(0.05)
        killed = stack.kill_process("postgres", how)
        deadline = time.monotonic() + PERSEVERE_S
        while stack.processes().get("postgres") in {None, killed}:
            assert time.monotonic() < deadline
            time.sleep(0.1)
    raise AssertionError


def test_e15_a_database_stopped_hard_under_approvals_loses_none_of_them(
    durable, cycles, django_db_blocker
):
    with ThreadPoolExecutor(HANDS) as pool:
        works = [pool.submit(refund_one, durable) for _ in range(cycles)]
        stops = stop_now_and_then(durable, works)
        refunds = [work.result() for work in works]
    agent = durable.api("agent")
    for refund in refunds:
        persevere(partial(agent.wait_for, refund, is_confirmed))

    assert stops >= cycles // APART - 1
    assert [durable.sandbox.payouts(refund["intent"]) for refund in refunds] == [1] * cycles
    assert durable.complaints("rebuild_projections", "--check") == []
    assert durable.complaints("verify_log") == []
    with django_db_blocker.unblock(), stored_in(durable):
        assert_every_grant_was_consumed(cycles)


def assert_every_grant_was_consumed(cycles: int) -> None:
    consumed = Consumption.objects.filter(tool_call__verification_status="confirmed_success")
    assert consumed.count() == Approval.objects.filter(status="consumed").count() == cycles
    assert ToolCall.objects.count() == cycles
    numbered = list(Outbox.objects.order_by("pos").values_list("pos", flat=True))
    assert numbered == list(range(1, WorkspaceFeed.objects.get().pos + 1))
    with connection.cursor() as cursor:
        cursor.execute("SHOW fsync")
        assert cursor.fetchone() == ("on",)
