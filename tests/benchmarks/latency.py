"""How long a decision takes to reach the provider, and a fact to reach an open page.

`python -m tests.benchmarks.latency` plays the demo's own processes, idle and under load, and
prints medians and 99th percentiles beside the floor of the same run: an empty round trip.
"""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass, field
from datetime import datetime
from statistics import median, quantiles
from typing import Any, Final
from uuid import uuid4

import httpx
from websockets.asyncio.client import ClientConnection, connect

from tests.stack import Stack, is_confirmed, running_stack

ROUNDS: Final = 60
PER_SECOND: Final = 20
QUIET_S: Final = 1.5


@dataclass(kw_only=True)
class Refund:
    """A proposed refund whose page is open; times are seconds of this machine's clock."""

    run: str
    call: Any
    intent: str
    approval: dict[str, Any]
    socket: ClientConnection
    decided_at: float = 0.0
    seen_at: dict[int, float] = field(default_factory=dict)

    async def watch(self) -> None:
        """Note when the page first knows of each position."""
        async for text in self.socket:
            frame = json.loads(text)
            if frame["kind"] == "state":
                self.seen_at.setdefault(frame["position"], time.time())


Decide = Callable[[Refund], Coroutine[Any, Any, None]]


async def main() -> None:
    with running_stack("--no-tickets") as stack:
        async with httpx.AsyncClient(base_url=stack.url, trust_env=False, timeout=30) as http:
            floor = [await timed(lambda: http.get("/healthz")) for _ in range(ROUNDS)]
            idle = await measure(stack, http, one_after_another)
            busy = await measure(stack, http, at_a_rate)
    print(f"{os.cpu_count()} cores, {ROUNDS} refunds each; milliseconds, and times the floor")
    say("floor: an empty round trip", floor, floor)
    for name, (sent, pushed) in {"idle": idle, f"{PER_SECOND} decisions/s": busy}.items():
        say(f"{name}: decision to provider request", sent, floor)
        say(f"{name}: fact to pushed frame", pushed, floor)


async def measure(
    stack: Stack,
    http: httpx.AsyncClient,
    pace: Callable[[list[Refund], Decide], Awaitable[None]],
) -> tuple[list[float], list[float]]:
    """Decide about fresh refunds at a pace; answer seconds to the provider and to the page."""
    refunds = [await propose(stack) for _ in range(ROUNDS)]
    watching = [asyncio.create_task(refund.watch()) for refund in refunds]
    await asyncio.sleep(QUIET_S)
    token = {"Authorization": f"Bearer {stack.tokens['reviewer']}"}

    async def decide(refund: Refund) -> None:
        approval = refund.approval
        body = {
            "command_id": uuid4().hex,
            "decision": "approve",
            "revision": approval["revision"],
            "digest": approval["digest"],
        }
        refund.decided_at = time.time()
        path = f"/api/v1/approvals/{approval['id']}/decisions"
        (await http.post(path, json=body, headers=token)).raise_for_status()

    await pace(refunds, decide)
    await asyncio.to_thread(wait_until_over, stack, refunds)
    for refund, task in zip(refunds, watching, strict=True):
        await refund.socket.close()
        await task
    sent = [sent_at(stack, refund) - refund.decided_at for refund in refunds]
    pushed = [delay for refund in refunds for delay in push_delays(stack, refund)]
    return sent, pushed


async def propose(stack: Stack) -> Refund:
    agent = stack.api("agent")
    run = agent.start_run(f"order-{uuid4().hex[:8]}")
    intent = f"intent-{uuid4().hex[:12]}"
    call = agent.propose(run, stack.sandbox.payment(10_000)["id"], intent)
    address = f"{stack.url.replace('http', 'ws', 1)}/ws/demo/runs/{run['id']}/?as=json"
    token = {"Authorization": f"Bearer {stack.tokens['reviewer']}"}
    socket = await connect(address, additional_headers=token, proxy=None)
    approval = stack.api("reviewer").approval_of(call)
    return Refund(run=run["id"], call=call, intent=intent, approval=approval, socket=socket)


async def one_after_another(refunds: list[Refund], decide: Decide) -> None:
    for refund in refunds:
        await decide(refund)
        await asyncio.sleep(QUIET_S / 3)


async def at_a_rate(refunds: list[Refund], decide: Decide) -> None:
    async with asyncio.TaskGroup() as group:
        for refund in refunds:
            group.create_task(decide(refund))
            await asyncio.sleep(1 / PER_SECOND)


def wait_until_over(stack: Stack, refunds: list[Refund]) -> None:
    for refund in refunds:
        stack.api("agent").wait_for(refund.call, is_confirmed, within=120)


def sent_at(stack: Stack, refund: Refund) -> float:
    (entry,) = stack.sandbox.journal(refund.intent)
    return datetime.fromisoformat(entry["at"]).timestamp()


def push_delays(stack: Stack, refund: Refund) -> list[float]:
    """From each fact's time, read before its commit, to the first frame that knows of it."""
    events = stack.api("admin").get(f"/runs/{refund.run}/events", limit=200)["events"]
    told = {event["position"]: event["occurred_at"] for event in events}
    granted = min(e["position"] for e in events if e["event_type"] == "approval.granted")
    delays = []
    for position, occurred_at in told.items():
        known = [at for seen, at in refund.seen_at.items() if seen >= position]
        if position >= granted and known:
            delays.append(min(known) - datetime.fromisoformat(occurred_at).timestamp())
    return delays


async def timed(action: Callable[[], Awaitable[object]]) -> float:
    began = time.perf_counter()
    await action()
    return time.perf_counter() - began


def say(what: str, seconds: list[float], floor: list[float]) -> None:
    p50, p99 = median(seconds), quantiles(seconds, n=100)[98]
    ratio = p50 / median(floor)
    print(f"{what:45} p50 {p50 * 1000:7.1f}   p99 {p99 * 1000:7.1f}   x {ratio:5.1f}")


if __name__ == "__main__":
    asyncio.run(main())
