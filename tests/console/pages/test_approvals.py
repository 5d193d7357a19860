"""One approval's page, by plain forms alone."""

from __future__ import annotations

from datetime import timedelta

import pytest

from approvals.models import Approval, Vote
from runtime.models import Event, Receipt
from runtime.texts import read_texts
from tests.console.browser import at
from tests.factories import (
    approve,
    make_approval,
    make_grant,
    move_clock,
    new_policy,
    observe,
)

HELD = 600_00


def status(approval: Approval) -> str:
    return Approval.objects.get(pk=approval.pk).status


def test_reading_again_changes_nothing(world, signed_in):
    approval = make_approval(world)
    browser = signed_in("reviewer")
    before = Event.objects.count()

    pages = [browser.open(at(approval)) for _ in range(5)]

    shown = {
        (page.elements[f"approval-{approval.pk}"]["data-status"], page.html.count(digest))
        for page in pages
        for digest in (approval.digest,)
    }
    assert len(shown) == 1
    assert {page.forms[f"decision-{approval.pk}"].fields["revision"] for page in pages} == {"1"}
    assert {approval.decide_by.isoformat() in page.html for page in pages} == {True}
    assert Event.objects.count() == before


def test_two_steps_approve_and_the_page_says_so(world, signed_in):
    approval = make_approval(world)
    browser = signed_in("reviewer")
    browser.open(at(approval))

    step = browser.press("Approve…")
    page = browser.press("Confirm approval", note="Checked the parcel")

    assert step.address == at(approval, "?step=approve")
    assert page.address.startswith(at(approval, "?receipt="))
    assert "Approved. Your decision is on record." in page.html
    assert status(approval) == "granted"
    assert "Checked the parcel" in page.html


def test_a_rejection_says_why(world, signed_in):
    approval = make_approval(world)
    browser = signed_in("reviewer")
    browser.open(at(approval))
    browser.press("Reject…")

    page = browser.press("Confirm rejection", reason_code="duplicate")

    assert "Rejected. Your decision is on record." in page.html
    assert Vote.objects.get(approval=approval).reason_code == "duplicate"
    assert page.offers() == []


def test_a_rejection_without_a_reason_goes_back_with_the_note(world, signed_in):
    approval = make_approval(world)
    browser = signed_in("reviewer")
    browser.open(at(approval, "?step=reject"))

    page = browser.press("Confirm rejection", note="It was paid twice")

    assert page.address == at(approval, "?kept=1&step=reject")
    assert page.forms[f"decision-{approval.pk}"].fields["note"] == "It was paid twice"
    assert page.html.count("A rejection needs a reason.") == 2
    assert (status(approval), Receipt.objects.count()) == ("pending", 0)


def test_what_was_kept_stays_through_any_look_until_the_command_is_taken_in(world, signed_in):
    approval = make_approval(world)
    browser = signed_in("reviewer")
    browser.open(at(approval, "?step=reject"))
    browser.press("Confirm rejection", note="It was paid twice")
    browser.client.head(at(approval))
    looks = [browser.open(at(approval)) for _ in range(2)]
    browser.open(at(approval, "?step=reject"))

    browser.press("Confirm rejection", reason_code="duplicate")

    notes = [look.forms[f"decision-{approval.pk}"].fields["note"] for look in looks]
    assert notes == ["It was paid twice"] * 2
    assert ["Nothing was changed" in look.html for look in looks] == [False, False]
    (vote,) = Vote.objects.filter(approval=approval)
    assert read_texts([vote.note]) == {vote.note: "It was paid twice"}
    assert browser.client.session["kept"] == {}


def test_the_same_form_sent_again_adds_no_event(world, signed_in):
    approval = make_approval(world)
    browser = signed_in("reviewer")
    page = browser.open(at(approval, "?step=approve"))
    sent = {**page.forms[f"decision-{approval.pk}"].fields, "decision": "approve"}
    answers = []

    for _ in range(3):
        answers.append(browser.client.post(at(approval, "decide/"), sent).url)
        events = Event.objects.count()

    assert len(set(answers)) == 1
    assert (Vote.objects.count(), Receipt.objects.count()) == (1, 1)
    assert Event.objects.count() == events


def test_a_second_tab_is_told_who_was_first_and_keeps_its_note(world, signed_in):
    approval = make_approval(world)
    late = signed_in("reviewer2")
    late.open(at(approval, "?step=approve"))
    approve(world, "reviewer", approval)
    events = Event.objects.count()

    page = late.press("Confirm approval", note="Looks right", reason_code="other")

    assert "Nothing was changed. Someone else settled this first." in page.html
    assert page.offers() == []
    assert (Vote.objects.count(), Event.objects.count()) == (1, events)


def test_a_refused_decision_fills_its_form_again(world, signed_in):
    approval = make_approval(world)
    browser = signed_in("reviewer")
    page = browser.open(at(approval))
    page.forms[f"decision-{approval.pk}"].fields["digest"] = "0" * 64

    page = browser.press("Confirm approval", note="Seen", reason_code="other")

    fields = page.forms[f"decision-{approval.pk}"].fields
    assert "You decided about an older version of this page." in page.html
    assert (fields["note"], fields["reason_code"]) == ("Seen", "other")
    assert fields["digest"] == approval.digest
    assert status(approval) == "pending"


def test_the_note_of_a_refused_decision_comes_along_to_the_next_step(world, signed_in):
    approval = make_approval(world)
    browser = signed_in("reviewer")
    page = browser.open(at(approval))
    page.forms[f"decision-{approval.pk}"].fields["digest"] = "0" * 64
    browser.press("Confirm approval", note="Seen by Ms Ōta", reason_code="other")

    browser.press("Approve…")
    in_the_session = str(browser.client.session["kept"])
    page = browser.press("Confirm approval")

    vote = Vote.objects.get(approval=approval)
    assert read_texts([vote.note]) == {vote.note: "Seen by Ms Ōta"}
    assert vote.reason_code == "other"
    assert "Ōta" not in in_the_session


def test_nobody_reads_another_persons_receipt(world, signed_in):
    approval = make_approval(world)
    browser = signed_in("reviewer")
    browser.open(at(approval))
    address = browser.press("Confirm approval").address

    page = signed_in("reviewer2").open(address)

    assert "Your decision is on record" not in page.html


def test_above_the_limit_the_page_says_who_may(world, signed_in):
    approval = make_approval(world, minor=5_000_00)

    page = signed_in("reviewer").open(at(approval))

    assert "above your limit. It needs seniors." in page.html
    assert page.offers() == []


def test_what_the_payment_does_not_allow_can_only_be_rejected(world, signed_in):
    approval = make_approval(world)
    observe(approval.tool_call, disputed=True)
    browser = signed_in("reviewer")

    asked = browser.open(at(approval))
    step = browser.press("Reject…")
    page = browser.press("Confirm rejection", reason_code="suspected_fraud", note="Disputed")

    assert "It cannot be approved as the payment stands. The payment is disputed." in asked.html
    assert asked.offers() == ["Reject…", "Confirm"]
    assert step.elements[f"decide-{approval.pk}"]["data-step"] == "reject"
    assert "Rejected. Your decision is on record." in page.html
    assert status(approval) == "rejected"


@pytest.mark.parametrize(
    ("name", "step", "shown"),
    [
        ("reviewer", "approve", ""),
        ("reviewer", "reject", "reject"),
        ("reviewer", "revoke", ""),
        ("senior", "approve", ""),
        ("admin", "reject", ""),
        ("admin", "revoke", "revoke"),
        ("support", "reject", ""),
    ],
)
def test_nobody_is_led_to_a_step_that_is_not_theirs(world, signed_in, name, step, shown):
    approval = make_approval(world)
    observe(approval.tool_call, disputed=True)

    page = signed_in(name).open(at(approval, f"?step={step}"))

    assert page.elements[f"decide-{approval.pk}"]["data-step"] == shown


def test_whoever_has_approved_may_still_reject(world, signed_in):
    new_policy(world, needs=2)
    approval = make_approval(world)
    approve(world, "reviewer", approval)
    browser = signed_in("reviewer")
    browser.open(at(approval))

    page = browser.press("Confirm rejection", reason_code="other")

    assert "Rejected. Your decision is on record." in page.html
    assert status(approval) == "rejected"


def test_an_approver_takes_a_held_grant_back(world, signed_in):
    approval = make_grant(world, minor=HELD)
    browser = signed_in("reviewer")
    browser.open(at(approval))

    page = browser.press("Take back")

    assert "Taken back. Nothing will be sent on this approval." in page.html
    assert (status(approval), page.offers()) == ("revoked", [])


def test_whoever_takes_it_back_too_late_hears_that_the_hold_is_over(world, signed_in):
    approval = make_grant(world, minor=HELD)
    browser = signed_in("reviewer")
    browser.open(at(approval))
    move_clock(approval, hold_until=timedelta(seconds=-1))

    page = browser.press("Take back")

    assert "Nothing was changed. You may not do this." in page.html
    assert "The hold is over; only an admin can revoke the approval now." in page.html
    assert (status(approval), page.offers()) == ("granted", [])


def test_nobody_else_is_offered_to_take_it_back(world, signed_in):
    approval = make_grant(world, minor=HELD)

    assert signed_in("reviewer2").open(at(approval)).offers() == []


def test_an_admin_revokes_with_a_reason(world, signed_in):
    approval = make_grant(world)
    browser = signed_in("admin")
    browser.open(at(approval))
    browser.press("Revoke…")

    page = browser.press("Confirm: revoke", reason="The customer called")

    assert "Taken back." in page.html
    assert status(approval) == "revoked"


def test_an_admin_cancels_a_question(world, signed_in):
    approval = make_approval(world)
    browser = signed_in("admin")
    browser.open(at(approval))
    browser.press("Cancel the question…")

    browser.press("Confirm: cancel the question", reason="Asked twice")

    assert status(approval) == "cancelled"
