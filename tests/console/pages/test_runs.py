from __future__ import annotations

import pytest

from runtime.handlers import ask_gates
from runtime.models import Event, Run
from tests.factories import (
    event_types,
    make_approval,
    make_call,
    make_grant,
    make_run,
    mixed_questions,
)
from tests.runtime.sessions.lab import Lab, said


def at(run: Run, query: str = "") -> str:
    return f"/w/demo/runs/{run.pk}/{query}"


def test_a_run_shows_its_calls_its_questions_and_its_facts(world, signed_in):
    run = make_run(world)
    approvals = [make_approval(world, run) for _ in range(2)]
    make_grant(world, run)

    page = signed_in("reviewer").open(at(run))

    calls = {f"call-{call.pk}" for call in run.tool_calls.all()}
    events = {f"event-{position}" for position in range(1, Event.objects.count() + 1)}
    assert calls | events <= page.elements.keys()
    assert {f"decision-{approval.pk}" for approval in approvals} <= page.forms.keys()
    assert page.offers().count("Approve…") == 2


def test_an_agent_that_may_not_go_on_is_said_to_wait_and_for_what(world, signed_in):
    approval = make_approval(world)
    ask_gates(world.actor("agent"), approval.run_id)

    page = signed_in("support").open(at(approval.run))

    assert "The agent may not go on: A call waits for a decision." in page.html


def test_a_session_in_doubt_stands_over_the_run(world, signed_in):
    lab = Lab(world)
    lab.append(0, "first", said("Please"))
    lab.write_behind_our_back("foreign", said("Pay me"))
    lab.ask()

    page = signed_in("support").open(at(lab.run))

    assert page.elements["run-banner"]["data-status"] == "session_in_doubt"
    assert "somebody else has written into it" in page.html
    assert "Pay me" not in page.html


def test_approve_leads_to_the_second_step_on_its_own_page(world, signed_in):
    approval = make_approval(world)
    browser = signed_in("reviewer")
    browser.open(at(approval.run))

    page = browser.press("Approve…")

    assert page.address == f"/w/demo/approvals/{approval.pk}/?step=approve"


def test_a_run_is_stopped_in_two_steps(world, signed_in):
    approval = make_approval(world)
    browser = signed_in("reviewer")
    browser.open(at(approval.run))
    browser.press("Stop run…")

    page = browser.press("Confirm: stop run", reason="Wrong customer")

    assert "Stop requested. Nothing new begins in this run." in page.html
    assert page.elements["run-banner"]["data-status"] == "stopped"
    assert page.offers() == []
    assert event_types(approval.run)[-1] == "run.stopped"


def test_the_same_stop_sent_again_adds_no_event(world, signed_in):
    run = make_run(world)
    browser = signed_in("admin")
    browser.open(at(run))
    form = browser.page.forms[f"stop-{run.pk}"]

    for _ in range(2):
        browser.client.post(form.action, form.fields)

    assert event_types(run) == ["run.started", "run.stop_requested", "run.stopped"]


def test_support_cannot_stop_a_run(world, signed_in):
    run = make_run(world)
    browser = signed_in("support")

    page = browser.open(at(run))
    token = page.forms["form 0"].fields
    answer = browser.client.post(at(run, "stop/"), {**token, "command_id": "one"})

    assert (page.offers(), answer.status_code) == ([], 403)
    assert event_types(run) == ["run.started"]


def test_support_sees_no_personal_text(world, signed_in):
    run = make_run(world, goal="Refund Jane Doe", subject={"order_id": "o-7", "name": "Jane"})
    make_call(world, run, summary="Jane Doe wrote to us")

    page = signed_in("support").open(at(run))

    assert ("Jane" in page.html, "o-7" in page.html) == (False, True)


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("", 2),
        ("?q=o-7", 1),
        ("?q=refund", 2),
        ("?q=nothing", 0),
        ("?status=running", 1),
        ("?status=waiting_for_approval", 1),
        ("?status=nonsense", 2),
    ],
)
def test_runs_are_found_by_agent_order_and_status(world, signed_in, query, found):
    make_run(world, subject={"order_id": "o-7"})
    make_approval(world)

    page = signed_in("support").open(f"/w/demo/runs/{query}")

    assert page.html.count("run-row") == found


@pytest.mark.parametrize("cursor", ["x", "../", "AAAA"])
def test_a_cursor_of_no_list_finds_nothing(world, signed_in, cursor):
    browser = signed_in("reviewer")

    statuses = [
        browser.client.get(f"/w/demo/{where}?cursor={cursor}").status_code
        for where in ("", "runs/")
    ]

    assert statuses == [404, 404]


def test_earlier_events_are_a_page_of_their_own(world, signed_in):
    run = make_run(world)
    make_call(world, run)

    page = signed_in("reviewer").open(at(run, "?before=2"))

    assert [name for name in page.elements if name.startswith("event-")] == ["event-1"]
    assert "live" not in page.elements


def test_a_page_of_runs_costs_the_same_for_one_and_for_many(
    world, signed_in, django_assert_max_num_queries
):
    for _ in range(20):
        make_approval(world)
    browser = signed_in("reviewer")

    with django_assert_max_num_queries(20):
        browser.open("/w/demo/runs/")


def test_a_runs_page_costs_the_same_for_few_and_for_many_calls(
    world, signed_in, django_assert_max_num_queries
):
    run = make_run(world)
    for _ in range(20):
        make_grant(world, run)
    browser = signed_in("reviewer")

    with django_assert_max_num_queries(60):
        browser.open(at(run))


def test_a_runs_page_has_a_bar_for_every_question_and_forty_cost_the_queries_of_one(
    world, signed_in, django_assert_max_num_queries
):
    few, many = make_run(world), make_run(world)
    mixed_questions(world, 1, few)
    asked = mixed_questions(world, 40, many)
    browser = signed_in("reviewer")
    with django_assert_max_num_queries(45) as counted:
        browser.open(at(few))

    with django_assert_max_num_queries(len(counted)):
        page = browser.open(at(many))

    assert {f"bar-{each.pk}" for each in asked} <= page.elements.keys()
    assert page.offers().count("Approve…") == 24
