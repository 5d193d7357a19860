"""Who sees what of an approval's page, and what nobody is offered any more."""

from __future__ import annotations

from datetime import timedelta

import pytest
from pytest_django import DjangoAssertNumQueries

from approvals.handlers import expire
from approvals.models import Approval
from runtime.models import Event, Receipt
from tests.console.browser import Browser, at
from tests.factories import (
    make_approval,
    make_call,
    make_grant,
    make_run,
    make_world,
    move_clock,
    reject,
    revoke,
)


def _superseded(world) -> Approval:
    run = make_run(world)
    approval = make_approval(world, run, minor=500, intent="one", payment="pi_one")
    make_call(world, run, minor=400, intent="one", payment="pi_one")
    return approval


def _expired(world) -> Approval:
    approval = make_approval(world)
    move_clock(approval, decide_by=timedelta(seconds=-1))
    expire(approval.pk)
    return approval


def _overdue(world) -> Approval:
    approval = make_approval(world)
    move_clock(approval, decide_by=timedelta(seconds=-1))
    return approval


def _rejected(world) -> Approval:
    approval = make_approval(world)
    reject(world, "reviewer", approval)
    return approval


def _revoked(world) -> Approval:
    approval = make_grant(world)
    revoke(world, "admin", approval)
    return approval


SETTLED = [_superseded, _expired, _overdue, _rejected, _revoked]


@pytest.mark.parametrize("make", SETTLED)
@pytest.mark.parametrize("name", ["reviewer", "reviewer2", "senior", "support", "admin"])
def test_what_is_settled_offers_nothing_to_anybody(world, signed_in, make, name):
    approval = make(world)

    page = signed_in(name).open(at(approval))

    assert (page.offers(), f"decision-{approval.pk}" in page.forms) == ([], False)


def test_support_reads_without_controls_and_without_personal_text(world, signed_in):
    approval = make_approval(world, summary="Jane Doe wrote to us")

    page = signed_in("support").open(at(approval))

    assert (page.offers(), "Jane Doe" in page.html, "•••" in page.html) == ([], False, True)
    assert [form.method for form in page.forms.values()] == ["post", "get"]


@pytest.mark.parametrize("name", ["support", "admin", "agent"])
def test_only_reviewers_decide(world, signed_in, name):
    approval = make_approval(world)
    browser = signed_in("reviewer")
    sent = browser.open(at(approval)).forms[f"decision-{approval.pk}"].fields
    browser.client.force_login(world.people[name])
    sent["csrfmiddlewaretoken"] = browser.client.cookies["csrftoken"].value
    events = Event.objects.count()

    answer = browser.client.post(at(approval, "decide/"), sent | {"decision": "approve"})

    assert (answer.status_code, Event.objects.count()) == (403, events)
    assert Receipt.objects.count() == 0


@pytest.mark.parametrize("path", ["", "decide/", "revoke/"])
def test_strangers_and_superusers_find_nothing(world, django_user_model, path):
    approval = make_approval(world)
    browser = Browser()
    browser.client.handler.enforce_csrf_checks = False
    browser.client.force_login(django_user_model.objects.create_superuser("root"))

    read = browser.client.get(at(approval, path))
    sent = browser.client.post(at(approval, path))

    assert {read.status_code, sent.status_code} <= {404, 405}


def test_another_workspace_is_like_nothing_at_all(world, signed_in):
    other = make_world("other")
    approval = make_approval(other)
    browser = signed_in("reviewer")

    statuses = [
        browser.client.get(address).status_code
        for address in (
            f"/w/other/approvals/{approval.pk}/",
            f"/w/demo/approvals/{approval.pk}/",
            "/w/nowhere/",
            "/w/other/",
            f"/w/demo/runs/{approval.run_id}/",
        )
    ]

    assert statuses == [404] * 5


def test_agents_have_no_pages(world, signed_in):
    approval = make_approval(world)

    browser = signed_in("agent")
    browser.open(at(approval))

    assert browser.status == 403


def test_a_page_costs_the_same_whatever_was_voted(
    world, signed_in, django_assert_max_num_queries: DjangoAssertNumQueries
):
    approval = make_approval(world)
    browser = signed_in("reviewer")

    with django_assert_max_num_queries(45):
        browser.open(at(approval))
