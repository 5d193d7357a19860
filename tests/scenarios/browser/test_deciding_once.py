"""One decision, whatever a browser sends; and no way to decide again, for anybody."""

from __future__ import annotations

import pytest
from playwright.sync_api import Request, expect

from tests.scenarios.browser.tabs import (
    approval_path,
    approve,
    bar,
    decision,
    open_approval,
    run_path,
)

EVERYBODY = ("reviewer", "reviewer2", "senior", "support", "admin")
FORMS = ("decision", "takeback", "revoke")
AUTHORITY = ("approval.voted", "approval.granted", "tool.call.authorized")


def send_again(page, request: Request):
    """Post the same bytes once more, as a browser or a proxy does when an answer is lost."""
    return page.request.post(
        request.url,
        data=request.post_data_buffer,
        headers={
            "Content-Type": request.headers["content-type"],
            "Origin": request.headers["origin"],
        },
    )


def posts_of(page) -> list[Request]:
    posts: list[Request] = []
    page.on("request", lambda request: posts.append(request) if request.method == "POST" else None)
    return posts


@pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without scripts"])
def test_d1_a_double_click_and_a_retried_post_are_one_decision(visit, desk, scripts):
    refund = desk.refund()
    page = open_approval(visit("reviewer", java_script_enabled=scripts), refund)
    posts = posts_of(page)

    decision(page, refund).get_by_role("button", name="Approve…").click()
    page.get_by_role("button", name="Confirm approval").dblclick()
    expect(page.locator(".notice-title")).to_have_text("Approved. Your decision is on record.")
    answer = send_again(page, posts[0])

    assert answer.status == 200
    assert "Approved. Your decision is on record." in answer.text()
    refund.when_confirmed()
    assert [each for each in refund.events if each in AUTHORITY] == [*AUTHORITY]
    assert refund.payouts == 1


def test_s2_what_was_decided_stays_decided_in_every_tab_and_for_everybody(visit, desk):
    refund = desk.refund()
    page, other = visit("reviewer"), visit("reviewer2")
    open_approval(other, refund)
    posts = posts_of(page)
    approve(open_approval(page, refund), refund)
    refund.when_confirmed()
    events, approval = refund.events, refund.approval["id"]

    for tab in (page, other, page.context.new_page()):
        open_approval(tab, refund)
        expect(bar(tab, refund)).to_have_attribute("data-status", "consumed")
    send_again(page, posts[0])

    for person in EVERYBODY:
        reader = visit(person).request
        for path in (approval_path(refund), run_path(refund)):
            html = reader.get(path).text()
            assert f'id="bar-{approval}"' in html
            assert [form for form in FORMS if f'form="{form}-{approval}"' in html] == [], person
    assert (refund.events, refund.payouts) == (events, 1)
