"""A workspace in which an agent, people and workers do anything, in any order."""

from __future__ import annotations

from itertools import count
from typing import Final

from approvals import handlers
from approvals.commands import ObserveOutcome, RevokeApproval, SettleCall
from approvals.models import Approval
from approvals.states import Decision
from runtime import notices
from runtime.data_keys import seal
from runtime.event_log import database_now
from runtime.execution import advance, observe_call, take_notice
from runtime.execution.reading import find_account, read_payment
from runtime.execution.spending import spend
from runtime.handlers import Propose, RunCommand, RunCommandKind, command_run, propose
from runtime.models import ProviderAccount, ToolCall
from runtime.providers.accounts import open_provider
from tests.factories import World, decision, make_run, make_world
from tests.sandbox_client import Sandbox
from tests.webhooks import SECRET, event, signed

numbers = count(1)
DECIDERS: Final = {
    "effect": ("reviewer", "reviewer2", "senior"),
    "settlement": ("admin2", "admin", "reviewer"),
}
SETTLED_AS: Final = ("completed", "failed", "not_executed")
SEEN: Final = ("confirmed_success", "confirmed_failure")
FAULTS: Final = ("drop_answer", "drop_request", "truncate", "empty")
STATUSES: Final = (401, 409, 429, 500)


class History:
    """Each move takes two numbers, and makes of them whatever choices it has."""

    def __init__(self, sandbox: Sandbox, profile: str = "key_and_lookup") -> None:
        self.sandbox = sandbox
        sandbox.control.clear_faults()
        sandbox.control.profile(profile)
        self.world: World = make_world(f"history-{next(numbers)}")
        ProviderAccount.objects.create(
            workspace=self.world.workspace,
            provider="stripe",
            label="sandbox",
            api_base=sandbox.url,
            secret=seal(sandbox.api_key),
            webhook_secret=seal(SECRET),
            profile=profile,
        )
        self.runs = [make_run(self.world) for _ in range(2)]
        self.payments = [sandbox.control.payment(1_000)["id"] for _ in range(2)]

    @property
    def calls(self) -> list[ToolCall]:
        return list(ToolCall.objects.filter(workspace=self.world.workspace).order_by("pk"))

    @property
    def intents(self) -> list[str]:
        return [f"{self.world.workspace.slug}-{number}" for number in range(3)]

    def propose(self, first: int, second: int) -> None:
        """Ask for a new refund, the same again, a revision, or one that another run holds."""
        amount = {"minor": (300, 400, 700)[second % 3], "currency": "USD"}
        command = Propose(
            capability="refund-payment",
            intent=self.intents[first % 3],
            arguments={
                "payment": self.payments[first % 2],
                "amount": amount,
                "reason": "duplicate",
            },
            summary="Charged twice",
        )
        propose(self.world.actor("agent"), self.runs[second % 2].pk, command)

    def approve(self, first: int, second: int) -> None:
        self._decide(first, second, Decision.APPROVE)

    def reject(self, first: int, second: int) -> None:
        self._decide(first, second, Decision.REJECT)

    def revoke(self, first: int, second: int) -> None:
        if approval := self._approval(first):
            command = RevokeApproval(command_id=f"command-{next(numbers)}", reason="A mistake")
            handlers.revoke(
                self.world.actor(("admin", "reviewer")[second % 2]), approval.pk, command
            )

    def settle(self, first: int, second: int) -> None:
        """An admin says what became of a call, whether or not that is for people to say."""
        if call := self._call(first):
            command = SettleCall(
                command_id=f"command-{next(numbers)}",
                outcome=SETTLED_AS[second % 3],
                evidence="The dashboard",
                reason="Looked it up by hand",
            )
            handlers.settle(self.world.actor("admin"), call.pk, command)

    def see(self, first: int, second: int) -> None:
        """An admin says what they saw of an outcome."""
        if call := self._call(first):
            command = ObserveOutcome(
                command_id=f"command-{next(numbers)}", status=SEEN[second % 2], evidence="A letter"
            )
            handlers.observe(self.world.actor("admin2"), call.pk, command)

    def work(self, first: int, _second: int) -> None:
        """A worker does whatever is due for a call."""
        if call := self._call(first):
            advance(call.pk)

    def observe(self, first: int, _second: int) -> None:
        if call := self._call(first):
            observe_call(call.pk)

    def hear(self, first: int, second: int) -> None:
        """The provider speaks of a payment, or of a call's own refund, and somebody looks."""
        call = self._call(first)
        account = ProviderAccount.objects.get(workspace=self.world.workspace)
        reference = call.external_request_id if call and second % 2 else None
        named = {"external_request_id": reference or ""}
        body = event(payment_intent=self.payments[first % 2], metadata=named)
        assert notices.take_in(str(account.pk), body, signed(body))
        take_notice(account.notices.latest("pk").pk)

    def take_back(self, first: int, second: int) -> None:
        """A refund that the provider has made turns out not to last."""
        call = self._call(first)
        refund = call.result_ref if call else None
        if refund and refund.startswith("re_"):
            self.sandbox.control.move_refund(refund, ("failed", "canceled")[second % 2])

    def die_after_spending(self, first: int, _second: int) -> None:
        """A worker puts its intent to send on record, and is never heard of again."""
        call = self._call(first)
        account = call and find_account(call)
        if call and account and call.execution_status == "authorized":
            spend(call.pk, account, read_payment(call, open_provider(account)))

    def lapse(self, first: int, _second: int) -> None:
        """The lease of whoever works on a call runs out."""
        if call := self._call(first):
            ToolCall.objects.filter(pk=call.pk).update(lease_until=database_now())

    def lose(self, first: int, _second: int) -> None:
        """The next answer about a refund gets lost, at one place or another."""
        self.sandbox.control.fault("refund.create", FAULTS[first % 4])

    def fail(self, first: int, second: int) -> None:
        self.sandbox.control.fault(
            "refund.create", "status", status=STATUSES[first % 4], after_commit=second % 2 == 0
        )

    def dispute(self, first: int, second: int) -> None:
        self.sandbox.control.dispute(self.payments[first % 2], disputed=second % 2 == 0)

    def stop(self, first: int, _second: int) -> None:
        self._command(first, RunCommandKind.STOP)

    def finish(self, first: int, _second: int) -> None:
        self._command(first, RunCommandKind.FINISH)

    def resume(self, first: int, _second: int) -> None:
        self._command(first, RunCommandKind.RESUME)

    def retry(self, first: int, _second: int) -> None:
        self._command_call(first, RunCommandKind.RETRY)

    def withdraw(self, first: int, _second: int) -> None:
        self._command_call(first, RunCommandKind.WITHDRAW)

    def _decide(self, first: int, second: int, how: Decision) -> None:
        if approval := self._approval(first):
            actor = self.world.actor(DECIDERS[approval.purpose][second % 3])
            handlers.decide(actor, approval.pk, decision(approval, decision=how))

    def _command(self, first: int, kind: RunCommandKind) -> None:
        command = RunCommand(command_id=f"command-{next(numbers)}", kind=kind)
        command_run(self.world.actor("agent"), self.runs[first % 2].pk, command)

    def _command_call(self, first: int, kind: RunCommandKind) -> None:
        if call := self._call(first):
            command = RunCommand(
                command_id=f"command-{next(numbers)}", kind=kind, tool_call=call.pk
            )
            command_run(self.world.actor("agent"), call.run_id, command)

    def _call(self, number: int) -> ToolCall | None:
        """One of the calls, the newest most often."""
        calls = self.calls
        return calls[-1 - number % len(calls)] if calls else None

    def _approval(self, number: int) -> Approval | None:
        found = Approval.objects.filter(workspace=self.world.workspace).order_by("-requested_at")
        return found[number % len(found)] if found else None


MOVES: Final = tuple(
    name for name in vars(History) if name[0] != "_" and name not in {"calls", "intents"}
)
