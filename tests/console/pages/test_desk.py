"""The desk on a run's page, by plain forms alone."""

from __future__ import annotations

import pytest

from approvals.models import Approval
from runtime.models import Event, Receipt
from tests.factories import make_grant, make_run
from tests.handoffs import (
    make_handoff,
    make_inconclusive,
    make_settlement,
    observe_outcome,
    settle,
    tracks,
)

SAID = {"evidence": "The dashboard shows it", "reason": "Looked it up by hand"}
TO_SETTLE = ["Confirm: nothing was executed", "Confirm: the provider refused it", "Ask to confirm"]


def at(call, query: str = "") -> str:
    return f"/w/demo/runs/{call.run_id}/{query}"


@pytest.mark.parametrize("button", TO_SETTLE[:2])
def test_an_admin_settles_a_call_in_two_steps(world, signed_in, button):
    call = make_handoff(world)
    browser = signed_in("admin")
    browser.open(at(call))
    browser.press("Settle…")

    page = browser.press(button, **SAID)

    assert "Settled. What you said is on record." in page.html
    assert tracks(call) == ("failed", "not_observed")
    assert ("The dashboard shows it" in page.html, "Looked it up" in page.html) == (True, True)
    desk = page.elements[f"desk-{call.pk}"]
    assert (desk["data-open"], desk["data-settle"]) == ("no", "no")
    assert page.offers() == ["Stop", "Confirm:"]


def test_that_money_moved_goes_to_another_admin_and_then_to_whoever_saw_it(world, signed_in):
    call = make_handoff(world)
    first, second = signed_in("admin"), signed_in("admin2")
    first.open(at(call))
    asked = first.press("Ask to confirm", **SAID, url="https://pay.example/re_1", result_ref="re_1")
    approval = Approval.objects.get(purpose="settlement")

    inbox = second.open("/w/demo/")
    second.open(f"/w/demo/approvals/{approval.pk}/")
    second.press("Approve…")
    confirmed = second.press("Confirm that it was executed")
    second.open(at(call))
    second.press("Say what was seen…")
    seen = second.press("Confirm: the money arrived", evidence="The customer's statement")

    assert "Nothing is settled until another admin confirms it." in asked.html
    assert "admin says that this was executed: Refund $5.00" in inbox.html
    assert "https://pay.example/re_1" in confirmed.html
    assert tracks(call) == ("completed", "confirmed_success")
    assert call.result_ref == "re_1"
    assert "What you saw confirms the outcome." in seen.html
    shown = [words in seen.html for words in ("The dashboard shows it", "s statement")]
    assert shown == [True, True]


def test_the_words_on_the_way_are_true(world, signed_in):
    approval = make_settlement(world)
    address = f"/w/demo/approvals/{approval.pk}/"

    own = signed_in("admin").open(address)
    reviewers = signed_in("reviewer").open(address)
    supports = signed_in("support").open(address)

    assert "another admin has to confirm it." in own.html
    assert "Only an admin can confirm that a call was executed." in reviewers.html
    assert [page.offers() for page in (own, reviewers, supports)] == [
        ["Cancel", "Confirm:"],
        [],
        [],
    ]
    assert "What admin says" in reviewers.html
    assert "Why the agent proposes it" not in reviewers.html
    assert ("Looked it up" in reviewers.html, "Looked it up" in supports.html) == (True, False)


def test_who_settled_it_stands_where_the_buttons_were(world, signed_in):
    approval = make_settlement(world)
    address = f"/w/demo/approvals/{approval.pk}/"
    settle(world, "admin2", approval.tool_call, "not_executed")

    page = signed_in("admin2").open(address)

    assert "This needs no answer any more. The call was settled otherwise." in page.html
    assert page.offers() == []


def test_while_another_admin_is_asked_nobody_else_is(world, signed_in):
    approval = make_settlement(world)

    page = signed_in("admin").open(at(approval.tool_call))

    offered = [button.text for button in page.buttons]
    assert [any(text.startswith(each) for text in offered) for each in TO_SETTLE] == [
        True,
        True,
        False,
    ]
    assert "Another admin has been asked whether it was executed." in page.html


@pytest.mark.parametrize("name", ["reviewer", "support"])
def test_nobody_else_has_a_desk(world, signed_in, name):
    call = make_handoff(world)
    browser = signed_in(name)

    page = browser.open(at(call))
    token = page.forms["form 0"].fields
    sent = {**token, **SAID, "command_id": "one", "call": call.pk, "outcome": "failed"}
    answers = [browser.client.post(at(call, f"{what}/"), sent) for what in ("settle", "observe")]

    assert f"desk-{call.pk}" not in page.elements
    assert "An admin settles it." in page.html
    assert [answer.status_code for answer in answers] == [403, 403]
    assert tracks(call)[0] == "manual_handoff"
    assert not Receipt.objects.filter(kind__in=["settle", "observe"]).exists()


def test_a_form_without_its_evidence_comes_back_with_what_was_typed(world, signed_in):
    run = make_run(world)
    call, other = make_handoff(world, run), make_handoff(world, run)
    browser = signed_in("admin")
    page = browser.open(at(call))
    form = page.forms[f"settle-{call.pk}"]
    sent = {**form.fields, "outcome": "failed", "reason": "Looked", "result_ref": "re_1"}

    answer = browser.client.post(form.action, sent)
    page = browser.open(answer.url)

    assert answer.url == at(call, "?kept=1&step=desk")
    assert "Nothing was changed. The form was not complete." in page.html
    fields = page.forms[f"settle-{call.pk}"].fields
    assert (fields["reason"], fields["result_ref"]) == ("Looked", "re_1")
    assert page.forms[f"settle-{other.pk}"].fields["reason"] == ""
    assert "This field is required." in page.html
    assert tracks(call)[0] == "manual_handoff"


def test_a_refused_settlement_fills_its_form_again(world, signed_in):
    call = make_handoff(world)
    browser = signed_in("admin")
    browser.open(at(call))
    make_settlement(world, call)

    page = browser.press("Ask to confirm", **SAID)

    assert "Another admin has been asked about this call already." in page.html
    fields = page.forms[f"settle-{call.pk}"].fields
    assert (fields["evidence"], fields["reason"]) == (SAID["evidence"], SAID["reason"])
    assert Approval.objects.filter(purpose="settlement").count() == 1


def test_a_call_settled_meanwhile_says_so(world, signed_in):
    call = make_handoff(world)
    browser = signed_in("admin2")
    browser.open(at(call))
    settle(world, "admin", call)
    events = Event.objects.count()

    page = browser.press("Confirm: nothing was executed", **SAID)

    assert "Nothing was changed. The call is not on people's desk" in page.html.replace(
        "&#x27;", "'"
    )
    assert Event.objects.count() == events


def test_the_same_form_sent_again_settles_nothing_twice(world, signed_in):
    call = make_handoff(world)
    browser = signed_in("admin")
    form = browser.open(at(call)).forms[f"settle-{call.pk}"]
    sent = {**form.fields, **SAID, "outcome": "not_executed"}

    answers = [browser.client.post(form.action, sent).url for _ in range(3)]

    assert len(set(answers)) == 1
    assert Receipt.objects.filter(kind="settle").count() == 1


def test_what_was_seen_can_be_corrected(world, signed_in):
    call = make_inconclusive(world)
    observe_outcome(world, "admin", call, "confirmed_failure")
    browser = signed_in("admin")
    browser.open(at(call, "?step=desk"))

    page = browser.press("Confirm: the money arrived", evidence="It came after all")

    assert tracks(call) == ("completed", "confirmed_success")
    assert [each.text for each in page.buttons if each.text.startswith("Confirm: the")] == [
        "Confirm: the money did not arrive"
    ]


def test_a_call_that_nobody_doubts_has_no_desk(world, signed_in):
    call = make_grant(world).tool_call

    page = signed_in("admin").open(at(call))

    assert f"desk-{call.pk}" not in page.elements


def test_a_call_of_another_run_is_not_found(world, signed_in):
    call, other = make_handoff(world), make_handoff(world)
    browser = signed_in("admin")
    form = browser.open(at(call)).forms[f"settle-{call.pk}"]
    sent = {**form.fields, **SAID, "outcome": "failed", "call": other.pk}

    answer = browser.client.post(form.action, sent)

    assert (answer.status_code, tracks(other)[0]) == (404, "manual_handoff")
