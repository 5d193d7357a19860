"""Refunds at every stage at once, and what must have become of each of them in the end."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import httpx

from tests.scenarios.refunds import Desk, Refund, new, wait_until

FAULTS: tuple[dict[str, Any] | None, ...] = (
    None,
    {"kind": "drop_answer"},
    {"kind": "drop_request"},
    {"kind": "delay", "seconds": 3},
    {"kind": "status", "status": 500, "after_commit": True},
)
HELD = 500_00


@dataclass(frozen=True, kw_only=True)
class Flight:
    """Refunds nobody has decided, such as are being approved, and such as wait for their hold."""

    desk: Desk
    asked: list[Refund]
    approved: list[Refund]
    held: Refund

    @property
    def refunds(self) -> list[Refund]:
        return [*self.asked, *self.approved, self.held]


def take_off(desk: Desk) -> Flight:
    """Propose and approve so many that some are unknown, some dispatching and some are held."""
    refunds = [desk.refund() for _ in FAULTS]
    flight = Flight(
        desk=desk,
        asked=[desk.refund() for _ in range(2)],
        approved=refunds,
        held=desk.granted(HELD),
    )
    for refund, fault in zip(refunds, FAULTS, strict=True):
        if fault is not None:
            desk.fault(refund, **fault)
        assert refund.decide("reviewer").status_code == 200
    return flight


def insist(refund: Refund, seen: Any, command: str) -> httpx.Response:
    """Send one approval under one command id until somebody answers it."""
    answers: list[httpx.Response] = []

    def is_answered() -> bool:
        try:
            answer = refund.stack.api("reviewer").decide(seen, "approve", command_id=command)
        except httpx.TransportError:
            return False
        answers.append(answer)
        return answer.status_code < 500

    wait_until(is_answered, within=90)
    return answers[-1]


def decide_meanwhile(flight: Flight, pool: ThreadPoolExecutor) -> list[Any]:
    """Begin to approve what nobody has decided, whatever goes down just now."""
    seen = [refund.approval for refund in flight.asked]
    return [
        pool.submit(insist, refund, approval, new("command"))
        for refund, approval in zip(flight.asked, seen, strict=True)
    ]


def assert_landed(flight: Flight) -> None:
    """Everything approved was paid once and is confirmed; log and rows agree."""
    for refund in flight.refunds:
        ended = refund.when_over(within=120)
        assert ended["verification_status"] == "confirmed_success"
        assert refund.events.count("approval.consumed") == 1
    payouts = Counter(
        entry["metadata"]["intent"]
        for entry in flight.desk.stack.sandbox.journal()
        if entry["moved_money"]
    )
    assert [payouts[refund.intent] for refund in flight.refunds] == [1] * len(flight.refunds)
    assert check(flight.desk) == []


def check(desk: Desk) -> list[str]:
    """What the commands that check the log and the rows complain of."""
    commands = (["verify_log"], ["rebuild_projections", "--check"])
    return [said for command in commands for said in desk.stack.complaints(*command)]
