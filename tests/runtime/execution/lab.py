"""A workspace whose payments are real ones of the sandbox provider."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from datetime import timedelta
from itertools import count
from typing import Any

import httpx
from django.conf import settings

from runtime import notices
from runtime.capabilities import require
from runtime.commands import Actor
from runtime.data_keys import seal
from runtime.event_log import database_now, recorded
from runtime.execution import advance, looking_up
from runtime.execution.attempts import Claim, mark_sent, request_of
from runtime.execution.looking_up import LookUp
from runtime.execution.reading import dispatched_to, find_account, read_payment
from runtime.execution.sending import record_answer, send
from runtime.execution.spending import spend
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
from runtime.models import (
    Attempt,
    Event,
    Notice,
    Person,
    ProviderAccount,
    Run,
    Timer,
    ToolCall,
    Workspace,
)
from runtime.providers.accounts import open_provider
from runtime.providers.answers import Answer
from runtime.providers.protocol import Provider
from runtime.states import CALL_FINAL
from tests.sandbox_client import Sandbox, SandboxClient
from tests.webhooks import SECRET, event, signed

numbers = count(1)


@dataclass(kw_only=True)
class Lab:
    sandbox: Sandbox
    actor: Actor
    account: ProviderAccount

    @property
    def control(self) -> SandboxClient:
        return self.sandbox.control

    def payment(self, minor=10_000, currency="USD", **more) -> str:
        return str(self.control.payment(minor, currency.lower(), **more)["id"])

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

    def wire(self, path: str) -> Any:
        """What the provider answers to a plain GET."""
        bearer = {"Authorization": f"Bearer {self.sandbox.api_key}"}
        with httpx.Client(base_url=self.sandbox.url, headers=bearer, trust_env=False) as client:
            return client.get(path).raise_for_status().json()

    def posts(self, call: ToolCall) -> Any:
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
        webhook_secret=seal(SECRET),
    )
    actor = Actor(workspace=workspace, person=person, surface="api")
    return Lab(sandbox=sandbox, actor=actor, account=account)


def _command(kind: RunCommandKind, **more) -> RunCommand:
    return RunCommand(command_id=f"command-{next(numbers)}", kind=kind, **more)


@dataclass(frozen=True, kw_only=True)
class Worker:
    """A worker that can be halted between its steps."""

    provider: Provider
    claim: Claim

    def send(self) -> None:
        send(self.claim, self.provider)

    def mark_sent(self) -> bool:
        return mark_sent(self.claim) is not None

    def write(self) -> Answer:
        """Ask the provider; the answer is read and not recorded."""
        call = ToolCall.objects.get(pk=self.claim.call_id)
        arguments = json.loads(call.arguments)
        return require(call.capability).perform(self.provider, arguments, request_of(call))

    def record(self, answer: Answer) -> None:
        record_answer(self.claim, answer)


def spent(call: ToolCall) -> Worker:
    """A worker halted right after T1."""
    account = find_account(call)
    assert account is not None
    provider = open_provider(account)
    claim = spend(call.pk, account, read_payment(call, provider))
    assert claim is not None
    return Worker(provider=provider, claim=claim)


def lapse(call: ToolCall) -> None:
    """Let the lease of whoever works on the call run out."""
    ToolCall.objects.filter(pk=call.pk).update(lease_until=database_now())


def references(call: ToolCall) -> dict[str, str | None]:
    return {"intent": call.intent, "external_request_id": call.external_request_id}


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


def is_at_rest(call: ToolCall) -> bool:
    """Nothing is due for it for a good while."""
    soon = database_now() + timedelta(minutes=30)
    return not Timer.objects.filter(subject=call.pk, due_at__lt=soon).exists()


def payloads(call: ToolCall, event_type: str) -> list[Any]:
    rows = Event.objects.filter(tool_call_id=call.pk, event_type=event_type)
    return [recorded(row).payload for row in rows.order_by("position")]


def closes(call: ToolCall) -> list[tuple[str | None, str | None]]:
    """How each attempt ended, in order: the kind of its close and the code."""
    attempts = Attempt.objects.filter(tool_call=call).order_by("number")
    return list(attempts.values_list("close", "code"))


def looking(call: ToolCall) -> LookUp:
    """A worker halted in the middle of its look-up."""
    look_up = looking_up.begin(call.pk)
    assert look_up is not None
    return look_up


def resumed(call: ToolCall) -> Worker:
    """A worker whose look-up found nothing, halted before it sends the same key again."""
    provider = open_provider(dispatched_to(call))
    look_up = looking(call)
    time.sleep(settings.SETTLE_DELAY_S)
    claim = looking_up.conclude(look_up, read_payment(call, provider), provider.profile)
    assert claim is not None
    return Worker(provider=provider, claim=claim)


def hear(call: ToolCall, account: ProviderAccount | None = None, **changes: Any) -> Notice:
    """Take in a webhook that names the call; `changes` are of the refund it speaks of."""
    account = account or ProviderAccount.objects.get(workspace=call.workspace_id)
    reference = {"external_request_id": call.external_request_id or ""}
    named = {"payment_intent": call.target, "metadata": reference}
    body = event(**named | changes)
    assert notices.take_in(str(account.pk), body, signed(body))
    return Notice.objects.latest("pk")


def is_waiting(notice: Notice) -> bool:
    """Somebody still has to look because of it."""
    return Timer.objects.filter(kind="notice.take", subject=notice.pk).exists()
