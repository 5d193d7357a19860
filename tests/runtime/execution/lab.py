"""A workspace whose payments are real ones of the sandbox provider."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from runtime.commands import Actor
from runtime.event_log import recorded
from runtime.execution import advance
from runtime.handlers import (
    Propose,
    Proposed,
    RunCommand,
    RunCommandKind,
    Started,
    StartRun,
    command_run,
    propose,
    start_run,
)
from runtime.models import Attempt, Event, Person, ProviderAccount, Run, ToolCall, Workspace
from runtime.states import CALL_FINAL
from runtime.texts import seal
from tests.sandbox_client import Sandbox, SandboxClient

numbers = count(1)


@dataclass(kw_only=True)
class Lab:
    sandbox: Sandbox
    actor: Actor
    account: ProviderAccount
    runs: list[Run] = field(default_factory=list)

    @property
    def control(self) -> SandboxClient:
        return self.sandbox.control

    def payment(self, minor=10_000, currency="USD", **more) -> str:
        return self.control.payment(minor, currency.lower(), **more)["id"]

    def run(self) -> Run:
        command = StartRun(
            agent="refunds", goal="Refund it", harness="external", subject={"order_id": "1"}
        )
        started = start_run(self.actor, command)
        assert isinstance(started, Started)
        return started.run

    def call(self, payment=None, minor=500, currency="USD", *, run=None) -> ToolCall:
        """Propose a refund; the gate decides what becomes of it."""
        payment = payment or self.payment(currency=currency)
        amount = {"minor": minor, "currency": currency}
        command = Propose(
            capability="refund-payment",
            intent=f"intent-{next(numbers)}",
            arguments={"payment": payment, "amount": amount, "reason": "duplicate"},
            summary="Charged twice",
        )
        proposed = propose(self.actor, (run or self.run()).pk, command)
        assert isinstance(proposed, Proposed)
        return proposed.call

    def fault(self, kind: str, times=1, *, on="refund.create", **more) -> None:
        self.control.fault(on, kind, times, **more)

    def stop(self, run: Run) -> None:
        command_run(self.actor, run.pk, _command(RunCommandKind.STOP))

    def retry(self, call: ToolCall) -> None:
        command_run(self.actor, call.run_id, _command(RunCommandKind.RETRY, tool_call=call.pk))

    def posts(self, call: ToolCall) -> list[dict[str, Any]]:
        """Every request for this call's refund that reached the provider."""
        return self.control.journal(call.intent)


def make_lab(sandbox: Sandbox) -> Lab:
    workspace = Workspace.objects.create(slug=f"lab-{next(numbers)}", name="Lab")
    person = Person.objects.create(username=f"robot-{next(numbers)}")
    account = ProviderAccount.objects.create(
        workspace=workspace,
        provider="stripe",
        label="sandbox",
        api_base=sandbox.url,
        secret=seal(sandbox.api_key),
    )
    actor = Actor(workspace=workspace, person=person, surface="api")
    return Lab(sandbox=sandbox, actor=actor, account=account)


def _command(kind: RunCommandKind, **more) -> RunCommand:
    return RunCommand(command_id=f"command-{next(numbers)}", kind=kind, **more)


def again(call: ToolCall) -> ToolCall:
    return ToolCall.objects.get(pk=call.pk)


def step(call: ToolCall, times=1) -> ToolCall:
    """Have a worker look at the call, as its timer would."""
    for _ in range(times):
        advance(call.pk)
    return again(call)


def carry_out(call: ToolCall, *, within_s=15.0) -> ToolCall:
    """Look at the call until nothing is due for it any more."""
    deadline = time.monotonic() + within_s
    while time.monotonic() < deadline:
        call = step(call)
        is_over = call.execution_status in {*CALL_FINAL, "manual_handoff"}
        if is_over and call.verification_status != "pending":
            return call
        time.sleep(0.02)
    raise AssertionError(f"still {call.execution_status}, {call.verification_status}")


def story(call: ToolCall) -> list[str]:
    """What happened to a call, in order, observations left out."""
    rows = Event.objects.filter(tool_call_id=call.pk).order_by("position")
    types = rows.exclude(event_type="payment.observed").values_list("event_type", flat=True)
    return list(types)


def payloads(call: ToolCall, event_type: str) -> list[Any]:
    rows = Event.objects.filter(tool_call_id=call.pk, event_type=event_type)
    return [recorded(row).payload for row in rows.order_by("position")]


def closes(call: ToolCall) -> list[tuple[str | None, str | None]]:
    """How each attempt ended, in order: the kind of its close and the code."""
    attempts = Attempt.objects.filter(tool_call=call).order_by("number")
    return list(attempts.values_list("close", "code"))
