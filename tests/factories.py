"""Objects to test with, made by the handlers that make the real ones."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from itertools import count
from typing import Any

from django.db import transaction

from approvals import handlers
from approvals.access import issue_token
from approvals.commands import DecideApproval, RevokeApproval
from approvals.models import AccessToken, Approval, PolicyVersion
from approvals.policies import PolicyDocument
from approvals.rules import activate_policy, write_policy
from approvals.setup import add_member, add_starter_rules, create_workspace
from approvals.starter import REFUNDS
from approvals.states import Decision, ReasonCode, Role
from runtime.commands import Actor, Answer, Applied, Refusal, Refused
from runtime.event_log import Cause, LockedRun, database_now, lock_run
from runtime.gates import Spending, gate
from runtime.handlers import Propose, Proposed, Started, StartRun, propose, start_run
from runtime.models import Event, Observation, Person, Receipt, Run, ToolCall, Workspace
from runtime.observations import record_observation
from runtime.providers.facts import PaymentFacts
from tests.folded import altered_on_purpose

numbers = count(1)
CAPABILITY = "refund-payment"


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """A workspace like the demo's, with its people by username."""

    workspace: Workspace
    people: dict[str, Person]
    token: AccessToken
    secret: str
    policy: PolicyVersion

    def actor(self, name: str, surface="api") -> Actor:
        token = self.token.pk if name == "agent" else None
        return Actor(
            workspace=self.workspace, person=self.people[name], surface=surface, token=token
        )


def make_world(slug: str = "demo", **settings) -> World:
    """`admin` owns the agent, made its token and wrote the policy in force."""
    workspace = create_workspace(slug, "Demo", **settings)
    admin = add_member(workspace, _username(slug, "admin"), Role.ADMIN).person
    policy = add_starter_rules(workspace, author=admin)
    roles = {
        "admin2": (Role.ADMIN, []),
        "reviewer": (Role.REVIEWER, ["reviewers"]),
        "reviewer2": (Role.REVIEWER, ["reviewers"]),
        "senior": (Role.REVIEWER, ["seniors"]),
        "support": (Role.SUPPORT, []),
    }
    people = {"admin": admin} | {
        name: add_member(workspace, _username(slug, name), role, groups=groups).person
        for name, (role, groups) in roles.items()
    }
    people["agent"] = add_member(
        workspace, _username(slug, "agent"), Role.AGENT, owner=admin
    ).person
    token, secret = issue_token(workspace, people["agent"], creator=admin, scopes=["propose"])
    return World(workspace=workspace, people=people, token=token, secret=secret, policy=policy)


def _username(slug: str, name: str) -> str:
    """The demo's people have the demo's names; those of another world are others."""
    return name if slug == "demo" else f"{name}-{slug}"


def make_run(world: World, **changes) -> Run:
    defaults: dict[str, Any] = {
        "agent": "refund-agent",
        "goal": "Refund the customer",
        "harness": "external",
        "subject": {"order_id": f"order-{next(numbers)}"},
    }
    started = start_run(world.actor("agent"), StartRun(**(defaults | changes)))
    assert isinstance(started, Started)
    return started.run


def make_call(
    world: World, run: Run | None = None, *, minor=500, currency="USD", intent=None, **changes
) -> ToolCall:
    """Propose a refund; the payment is one of its own unless `payment` names it."""
    number = next(numbers)
    run = run or make_run(world)
    command: dict[str, Any] = {
        "capability": CAPABILITY,
        "intent": intent or f"refund-{number}",
        "arguments": {
            "payment": changes.pop("payment", f"pi_{number}"),
            "amount": {"minor": minor, "currency": currency},
            "reason": changes.pop("reason", "requested_by_customer"),
        },
        "summary": "The parcel never arrived",
    }
    proposed = propose(world.actor("agent"), run.pk, Propose(**(command | changes)))
    assert isinstance(proposed, Proposed), proposed
    return proposed.call


def make_approval(world: World, run: Run | None = None, **changes) -> Approval:
    """Propose a refund and answer the question it raises."""
    return Approval.objects.get(tool_call=make_call(world, run, **changes), status="pending")


def mixed_questions(world: World, number: int, run: Run | None = None) -> list[Approval]:
    """So many open questions about orders, and payments without one, in several currencies.

    The first stands for an order and the second for none, unless all are of the run given.
    """
    subjects: list[dict[str, Any]] = [{"order_id": "shared"}, {"ticket": "t-1"}, {"order_id": "o"}]
    runs = [run] if run else [make_run(world, subject=subject) for subject in subjects]
    asked = []
    for index in range(number):
        currency = ("USD", "JPY", "EUR", "KWD")[index % 4]
        approval = make_approval(world, runs[index % len(runs)], minor=100, currency=currency)
        observe(approval.tool_call, disputed=index % 5 == 4)
        asked.append(approval)
    return asked


def decision(approval: Approval, *, decision=Decision.APPROVE, **changes) -> DecideApproval:
    """A command that fits the approval as it stands."""
    rejects = decision is Decision.REJECT
    fitting: dict[str, Any] = {
        "command_id": f"command-{next(numbers)}",
        "decision": decision,
        "revision": approval.revision,
        "digest": approval.digest,
        "reason_code": ReasonCode.EVIDENCE_MISSING if rejects else None,
    }
    return DecideApproval(**(fitting | changes))


def approve(world: World, name: str, approval: Approval, **changes) -> Answer:
    return handlers.decide(world.actor(name), approval.pk, decision(approval, **changes))


def reject(world: World, name: str, approval: Approval, **changes) -> Answer:
    changes = {"decision": Decision.REJECT} | changes
    return handlers.decide(world.actor(name), approval.pk, decision(approval, **changes))


def revoke(world: World, name: str, approval: Approval, **changes) -> Answer:
    command = {"command_id": f"command-{next(numbers)}", "reason": "A mistake"} | changes
    return handlers.revoke(world.actor(name), approval.pk, RevokeApproval(**command))


def make_grant(world: World, run: Run | None = None, *, by="reviewer", **changes) -> Approval:
    """An approval that `by` has granted; its hold, if any, still runs."""
    approval = make_approval(world, run, **changes)
    approve(world, by, approval)
    approval.refresh_from_db()
    assert approval.status == "granted"
    return approval


def make_good_grant(world: World, **changes) -> Approval:
    """A grant with fresh and good facts: it would be spent."""
    approval = make_grant(world, **changes)
    observe(approval.tool_call)
    return approval


def observe(call: ToolCall, **changes) -> Observation:
    """Store what a provider would say of the call's payment now; all well unless changed."""
    good: dict[str, Any] = {
        "captured_minor": 100_000_00,
        "refunded_minor": 0,
        "currency": call.currency,
        "disputed": False,
        "refunds": (),
        "complete": True,
    }
    with transaction.atomic():
        locked = locked_run(call)
        record_observation(locked, call, PaymentFacts(**(good | changes)), database_now())
    return Observation.objects.filter(tool_call=call).latest("as_of")


def spend(call: ToolCall) -> Spending:
    """Ask the gate as the dispatcher does, in a transaction of its own."""
    with transaction.atomic(durable=True):
        return gate().spend(locked_run(call), ToolCall.objects.get(pk=call.pk))


def locked_run(call: ToolCall) -> LockedRun:
    return lock_run(call.run_id, cause=Cause(producer="runtime"))


def move_clock(approval: Approval, **by: timedelta) -> None:
    """Move deadlines of an approval: `decide_by=timedelta(seconds=-1)` is a second ago."""
    altered_on_purpose.add(approval.run_id)
    now = database_now()
    Approval.objects.filter(pk=approval.pk).update(
        **{column: now + delta for column, delta in by.items()}
    )


def event_types(run: Run) -> list[str]:
    rows = Event.objects.filter(run=run).order_by("position")
    return list(rows.values_list("event_type", flat=True))


def status_of(answer: Answer) -> tuple[int, str]:
    """The answer's HTTP status and code: `(200, "ok")` for what was applied."""
    match answer:
        case Applied(receipt=receipt):
            return receipt.http_status, receipt.code
        case Refused(refusal=refusal):
            return refusal.http_status, refusal.code


def receipt_of(answer: Answer) -> Receipt:
    assert answer.receipt is not None
    return answer.receipt


def refusal_of(answer: Answer) -> Refusal:
    assert isinstance(answer, Refused)
    return answer.refusal


def new_policy(world: World, *, author="admin", **changes) -> PolicyVersion:
    """Put the starting policy, changed, in force as the next version."""
    document = PolicyDocument(**(REFUNDS.model_dump() | changes))
    version = write_policy(world.workspace, "refunds", document, author=world.people[author])
    activate_policy(version)
    return version
