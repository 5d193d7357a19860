from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import transaction

from approvals.admission import admit
from approvals.models import Approval, PolicyVersion
from approvals.rules import activate_policy, withdraw_policy, write_policy
from approvals.starter import REFUNDS
from runtime.canonical import canonical
from runtime.gates import Never, gate
from runtime.handlers import RunCommand, RunCommandKind, command_run
from runtime.models import Event, Timer, ToolCall
from tests.factories import (
    event_types,
    locked_run,
    make_approval,
    make_call,
    make_grant,
    make_run,
    new_policy,
    revoke,
    status_of,
)


def policy_decision(call):
    return Event.objects.get(tool_call_id=call.pk, event_type="policy.decided").payload


def command(world, name, run, kind, **changes):
    return command_run(
        world.actor(name), run.pk, RunCommand(command_id="command", kind=kind, **changes)
    )


def test_the_gate_in_the_settings_is_the_one_tested_here():
    assert type(gate()).__name__ == "ApprovalGate"


def test_a_question_is_bound_to_the_exact_effect_and_the_policy_that_raised_it(world):
    approval = make_approval(world, minor=5800, currency="JPY", reason="fraudulent")
    call = approval.tool_call

    asked = Event.objects.get(event_type="approval.requested")
    assert asked.payload == {
        "policy": str(world.policy.pk),
        "policy_name": "refunds",
        "policy_version": 1,
        "revision": 1,
        "arguments": {
            "payment": call.target,
            "amount": {"minor": 5800, "currency": "JPY"},
            "reason": "fraudulent",
        },
        "digest": call.digest,
        "amount_minor": 5800,
        "currency": "JPY",
        "target": call.target,
        "needed": 1,
        "decide_by": asked.payload["decide_by"],
        "conflicts": [
            {"person": str(world.people["admin"].pk), "because": "agent_owner"},
            {"person": str(world.people["admin"].pk), "because": "token_creator"},
            {"person": str(world.people["agent"].pk), "because": "proposal_editor"},
            {"person": str(world.people["admin"].pk), "because": "policy_author"},
        ],
        "risk": "high",
    }
    assert approval.arguments == canonical(asked.payload["arguments"]) == call.arguments
    assert approval.decide_by == asked.occurred_at + timedelta(hours=1)
    assert (asked.approval_id, asked.tool_call_id) == (approval.pk, call.pk)
    assert asked.policy_decision_id == approval.policy_decision_id
    assert policy_decision(call) == {
        "verdict": "needs_person",
        "policy": "refunds",
        "version": 1,
        "code": "needs_person",
    }


@pytest.mark.parametrize(("asked_s", "given_s"), [(60, 60), (7200, 3600), (None, 3600)])
def test_an_agent_may_shorten_the_time_to_decide_and_never_lengthen_it(world, asked_s, given_s):
    approval = make_approval(world, decide_within_s=asked_s)

    assert approval.decide_by == approval.requested_at + timedelta(seconds=given_s)
    assert Timer.objects.get(subject=approval.pk).due_at == approval.decide_by


def test_without_a_policy_in_force_nothing_may_leave(world):
    withdraw_policy(world.policy)

    call = make_call(world)

    assert (call.execution_status, call.error_code) == ("refused", "no_policy")
    assert policy_decision(call) == {
        "verdict": "never",
        "policy": None,
        "version": None,
        "code": "no_policy",
    }
    assert not Approval.objects.exists()


def test_a_version_that_is_written_and_not_activated_is_not_in_force(world):
    document = REFUNDS.model_copy(update={"needs": 2})
    write_policy(world.workspace, "refunds", document, author=world.people["admin"])

    assert make_approval(world).policy == world.policy


def test_the_highest_version_in_force_rules_and_the_one_before_after_its_withdrawal(world):
    second = new_policy(world, needs=2)

    assert make_approval(world).needed == 2
    withdraw_policy(second)
    assert make_approval(world).needed == 1


def test_two_policies_for_one_capability_let_nothing_leave(world):
    rival = write_policy(world.workspace, "rival", REFUNDS, author=world.people["admin"])
    activate_policy(rival)

    assert make_call(world).error_code == "rival_policies"


def test_a_policy_of_another_capability_covers_nothing_here(world):
    withdraw_policy(world.policy)
    new_policy(world, capability="send-letter")

    assert make_call(world).error_code == "no_policy"


def test_what_the_policy_never_allows_is_refused_and_asked_of_nobody(world):
    new_policy(world, max_minor={"USD": 1000})

    call = make_call(world, minor=1001)

    assert (call.execution_status, call.error_code) == ("refused", "above_maximum")
    assert event_types(call.run)[-2:] == ["policy.decided", "tool.call.refused"]


class TestARuleThatAllows:
    @pytest.fixture(autouse=True)
    def _rule(self, world):
        self.policy = new_policy(world, automatic={"USD": 1000})

    def test_its_approval_is_granted_like_any_other(self, world):
        call = make_call(world, minor=1000)

        approval = Approval.objects.get()
        assert (approval.status, approval.needed) == ("granted", 0)
        assert approval.settled_by == f"policy:{self.policy.pk}"
        assert call.execution_status == "authorized"
        granted = Event.objects.get(event_type="approval.granted")
        assert granted.actor == f"policy:{self.policy.pk}"
        assert event_types(call.run)[1:] == [
            "tool.call.proposed",
            "policy.decided",
            "approval.requested",
            "approval.granted",
            "tool.call.authorized",
        ]

    def test_an_admin_revokes_it_like_any_other(self, world):
        make_call(world, minor=1000)

        assert status_of(revoke(world, "admin", Approval.objects.get())) == (200, "ok")

    def test_splitting_an_order_does_not_help(self, world):
        run = make_run(world)

        calls = [make_call(world, run, minor=400) for _ in range(3)]

        statuses = [call.execution_status for call in calls]
        assert statuses == ["authorized", "authorized", "proposed"]

    def test_without_an_order_a_person_looks(self, world):
        run = make_run(world, subject={"ticket": "t-1"})

        assert make_call(world, run, minor=1).execution_status == "proposed"


class TestRevision:
    def test_changed_arguments_are_a_new_question(self, world):
        run = make_run(world)
        old = make_approval(world, run, intent="it", payment="pi_it", minor=500)

        call = make_call(world, run, intent="it", payment="pi_it", minor=600)

        new = Approval.objects.get(status="pending")
        old.refresh_from_db()
        assert (old.status, old.successor) == ("superseded", new.pk)
        assert (new.revision, new.amount_minor, new.digest) == (2, 600, call.digest)
        assert event_types(run)[-4:] == [
            "tool.call.revised",
            "policy.decided",
            "approval.superseded",
            "approval.requested",
        ]
        assert list(Timer.objects.values_list("subject", flat=True)) == [new.pk]

    def test_a_revision_the_policy_never_allows_ends_the_question(self, world):
        new_policy(world, max_minor={"USD": 1000})
        run = make_run(world)
        old = make_approval(world, run, intent="it", payment="pi_it", minor=500)

        call = make_call(world, run, intent="it", payment="pi_it", minor=1001)

        old.refresh_from_db()
        assert (old.status, old.settled_code) == ("cancelled", "revised")
        assert call.execution_status == "refused"


@pytest.mark.parametrize("make", [make_approval, make_grant])
@pytest.mark.parametrize(
    ("name", "kind", "code"),
    [
        ("reviewer", RunCommandKind.STOP, "run_stopped"),
        ("agent", RunCommandKind.FINISH, "run_ended"),
        ("agent", RunCommandKind.WITHDRAW, "withdrawn"),
    ],
)
def test_what_is_asked_or_granted_ends_with_its_call(world, make, name, kind, code):
    approval = make(world)
    call = approval.tool_call_id if kind is RunCommandKind.WITHDRAW else None

    command(world, name, approval.run, kind, tool_call=call)

    approval.refresh_from_db()
    assert (approval.status, approval.settled_code) == ("cancelled", code)
    assert ToolCall.objects.get().execution_status == "cancelled"
    assert not Timer.objects.exists()


def test_closing_a_call_nothing_was_asked_about_does_nothing(world):
    withdraw_policy(world.policy)
    call = make_call(world)
    before = event_types(call.run)

    with transaction.atomic():
        gate().close(locked_run(call), call, "run_ended")

    assert event_types(call.run) == before


def test_an_admission_answers_never_as_a_value(world):
    call = make_call(world)
    PolicyVersion.objects.update(withdrawn_at=call.proposed_at)

    with transaction.atomic():
        old = Approval.objects.get()
        verdict = admit(locked_run(call), call, instead_of=old)

    assert verdict == Never(code="no_policy", detail="No policy in force covers this capability.")
