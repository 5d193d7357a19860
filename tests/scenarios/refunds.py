"""Refunds as the drills play them: over HTTP, with the provider's journal as the oracle."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeVar
from uuid import uuid4

import httpx

from tests.stack import Stack, is_confirmed

T = TypeVar("T")
REFUSED = {"refused", "cancelled", "aborted", "failed"}


def new(word: str) -> str:
    return f"{word}-{uuid4().hex[:10]}"


@dataclass(frozen=True, kw_only=True)
class Refund:
    """One proposed refund and everything a test wants to know of it."""

    stack: Stack
    run: Any
    call: Any
    intent: str
    payment: str

    @property
    def now(self) -> Any:
        return self.stack.api("agent").call(self.call)

    @property
    def approval(self) -> Any:
        return self.stack.api("admin").approval_of(self.call)

    @property
    def payouts(self) -> int:
        return self.stack.sandbox.payouts(self.intent)

    @property
    def requests(self) -> list[Any]:
        """Every request to pay it out that reached the provider, dropped ones included."""
        requests: list[Any] = self.stack.sandbox.journal(self.intent)
        return requests

    @property
    def dealings(self) -> list[str]:
        """What was asked about it at the provider, in order: `pay` or `look`."""
        of_payment = f"/v1/payment_intents/{self.payment}"
        return [
            "look" if entry["path"] == of_payment else "pay"
            for entry in self.stack.sandbox.journal()
            if entry["path"] == of_payment or entry["metadata"].get("intent") == self.intent
        ]

    @property
    def events(self) -> list[str]:
        """The type of every event of its run, in order."""
        found: list[Any] = []
        head = 1
        while len(found) < head:
            path, after = f"/runs/{self.run['id']}/events", len(found)
            page = self.stack.api("admin").get(path, limit=200, after=after)
            found, head = found + page["events"], page["head"]
        return [event["event_type"] for event in found]

    def decide(self, by: str, decision: str = "approve", **more: Any) -> httpx.Response:
        if decision == "reject":
            more = {"reason_code": "other"} | more
        command = {"command_id": new("command")} | more
        return self.stack.api(by).decide(self.approval, decision, **command)

    def revoke(self, by: str, **more: Any) -> httpx.Response:
        body = {"command_id": new("command"), "reason": "A mistake"} | more
        path = f"/approvals/{self.approval['id']}/revocations"
        return self.stack.api(by).send("POST", path, body)

    def command(self, by: str, kind: str, **more: Any) -> httpx.Response:
        body = {"command_id": new("command"), "kind": kind} | more
        return self.stack.api(by).send("POST", f"/runs/{self.run['id']}/commands", body)

    def when(self, is_there: Callable[[Any], object], within: float = 40) -> Any:
        return self.stack.api("agent").wait_for(self.call, is_there, within)

    def when_confirmed(self, within: float = 40) -> Any:
        return self.when(is_confirmed, within)

    def when_status(self, *statuses: str, within: float = 40) -> Any:
        return self.when(lambda call: call["execution_status"] in statuses, within)

    def when_over(self, within: float = 60) -> Any:
        """Read it until it is confirmed, without effect, or on a person's desk."""
        ends = {*REFUSED, "manual_handoff"}
        return self.when(
            lambda call: is_confirmed(call) or call["execution_status"] in ends, within
        )


@dataclass(frozen=True)
class Desk:
    stack: Stack

    def run(self, **more: Any) -> Any:
        return self.stack.api("agent").start_run(new("order"), **more)

    def payment(self, captured: int = 1_000_000, currency: str = "usd") -> str:
        payment: str = self.stack.sandbox.payment(captured, currency)["id"]
        return payment

    def refund(self, amount: int = 500, currency: str = "USD", **given: Any) -> Refund:
        """Propose one; run, payment and intent are its own unless given."""
        run = given.pop("run", None) or self.run()
        payment = given.pop("payment", None) or self.payment(currency=currency.lower())
        intent = given.pop("intent", None) or new("intent")
        call = self.stack.api("agent").propose(run, payment, intent, amount, currency, **given)
        return Refund(stack=self.stack, run=run, call=call, intent=intent, payment=payment)

    def granted(self, amount: int = 500, currency: str = "USD", **given: Any) -> Refund:
        refund = self.refund(amount, currency, **given)
        by = "reviewer" if amount <= 1_000_00 else "senior"
        assert refund.decide(by).status_code == 200
        return refund

    def fault(self, refund: Refund, kind: str, times: int = 1, **more: Any) -> None:
        match = {"intent": refund.intent}
        self.stack.sandbox.fault("refund.create", kind, times, match=match, **more)


def at_once(actions: Sequence[Callable[[], T]]) -> list[T]:
    """Do all of these at the same moment, as far as one machine can."""
    with ThreadPoolExecutor(len(actions)) as pool:
        return [future.result() for future in [pool.submit(action) for action in actions]]


def codes(answers: Sequence[httpx.Response]) -> list[tuple[int, str]]:
    """Status and code of each answer, sorted: `(200, "ok")` for what was applied."""
    return sorted((answer.status_code, answer.json().get("code", "ok")) for answer in answers)


def wait_until(is_so: Callable[[], bool], within: float = 30) -> None:
    deadline = time.monotonic() + within
    while not is_so():
        assert time.monotonic() < deadline, f"not within {within} s"
        time.sleep(0.05)
