from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from approvals.states import ApprovalStatus, Role
from console.view_models.approvals import BehindView, VotesView
from console.view_models.banner import approval_banner
from console.view_models.bar import Viewer, decision_bar, run_actions
from console.view_models.words import Tone
from tests.console.view_models.examples import NOW, a_card, a_run, a_vote, an_approval

S = ApprovalStatus
REVIEWER = Viewer(username="reviewer", role=Role.REVIEWER)
SUPPORT = Viewer(username="support", role=Role.SUPPORT)
ADMIN = Viewer(username="admin", role=Role.ADMIN, refusal="not_authorized", may_reject=False)
HELD = NOW + timedelta(seconds=9)


def a_bar(approval, viewer=REVIEWER, now=NOW):
    return decision_bar(a_card(approval), viewer, now)


def test_a_reviewer_may_decide_what_is_pending():
    bar = a_bar(an_approval())

    assert (bar.cannot_approve_reason, bar.settled) == (None, None)
    assert bar.steps == {"approve", "reject"}


@pytest.mark.parametrize("status", sorted(set(S) - {S.PENDING}))
def test_nothing_settled_can_be_decided_and_the_bar_says_so(status):
    bar = a_bar(an_approval(1, status))

    assert not bar.can_answer
    assert bar.settled is not None
    assert bar.cannot_approve_reason == bar.settled


def test_the_moment_the_time_is_over_nobody_may_decide():
    approval = an_approval()

    assert a_bar(approval, now=approval.decide_by - timedelta(microseconds=1)).can_approve
    assert a_bar(approval, now=approval.decide_by).settled == (
        "Nobody decided in time, so nothing is sent."
    )
    assert approval_banner(approval, approval.decide_by).title == "Expired"


def test_support_is_told_that_the_role_only_reads():
    bar = a_bar(an_approval(), SUPPORT)

    assert bar.cannot_approve_reason == "Your role may read this, not decide it."
    assert bar.steps == set()


def test_over_the_limit_it_says_whom_it_needs():
    viewer = replace(REVIEWER, refusal="over_limit", needs="seniors", may_reject=False)

    assert a_bar(an_approval(), viewer).cannot_approve_reason == (
        "The amount is above your limit. It needs seniors."
    )


def test_over_the_limit_only_in_sum_it_can_be_rejected_and_says_so():
    bar = a_bar(an_approval(), replace(REVIEWER, refusal="over_limit", needs="seniors"))

    assert bar.steps == {"reject"}
    assert bar.cannot_approve_reason == (
        "Together with what was approved before, it is above your limit. It needs seniors."
    )


def test_what_the_payment_does_not_allow_can_be_rejected_and_says_why():
    viewer = replace(REVIEWER, refusal="precondition_failed", broken="The payment is disputed.")

    bar = a_bar(an_approval(), viewer)

    assert bar.steps == {"reject"}
    assert bar.cannot_approve_reason == (
        "It cannot be approved as the payment stands. The payment is disputed."
    )


def test_an_unknown_refusal_still_refuses():
    bar = a_bar(an_approval(), replace(REVIEWER, refusal="brand_new", may_reject=False))

    assert not bar.can_answer
    assert bar.cannot_approve_reason == "You may not decide this (brand_new)."


def test_only_the_approver_may_take_back_and_only_inside_the_hold():
    mine = VotesView(needed=1, cast=(a_vote("reviewer"),))
    granted = an_approval(1, S.GRANTED, hold_until=HELD, votes=mine)

    assert a_bar(granted).can_take_back
    assert not a_bar(granted, replace(REVIEWER, username="reviewer2")).can_take_back
    assert not a_bar(granted, now=HELD).can_take_back
    assert not a_bar(replace(granted, hold_until=None)).can_take_back


@pytest.mark.parametrize("status", list(S))
def test_an_admin_may_revoke_what_is_pending_or_granted_and_nothing_else(status):
    assert a_bar(an_approval(1, status), ADMIN).can_revoke == (status in {S.PENDING, S.GRANTED})


def test_the_settled_bar_says_who_and_why():
    assert a_bar(an_approval(1, S.REJECTED)).settled == "senior rejected this. Nothing was sent."
    assert a_bar(an_approval(1, S.INVALIDATED)).settled == (
        "The approval no longer holds. An approver's limit no longer covers it."
    )


def test_the_banner_counts_votes_while_some_are_missing():
    two = VotesView(needed=2, cast=(a_vote(),))

    banner = approval_banner(an_approval(votes=two), NOW)

    assert (banner.tone, banner.sentence) == (Tone.ASK, "1 of 2 people have approved.")


def test_a_held_grant_says_that_it_can_be_taken_back():
    banner = approval_banner(an_approval(1, S.GRANTED, hold_until=HELD), NOW)

    assert banner.sentence == "It is held for a moment and can still be taken back."


@pytest.mark.parametrize(
    ("viewer", "expected"), [(REVIEWER, True), (ADMIN, True), (SUPPORT, False)]
)
def test_who_may_stop_a_run(viewer, expected):
    assert run_actions(a_run(), viewer).can_stop == expected


def test_somebody_behind_a_run_is_said_with_every_reason():
    person = BehindView(name="admin", because=("agent_owner", "token_creator", "policy_author"))

    assert person.sentence == ("admin owns the agent, made the agent's token and wrote the policy")
