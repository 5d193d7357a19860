from __future__ import annotations

import json
from datetime import timedelta

import pytest

from tests.factories import make_approval, make_run, move_clock, reject


def rows(page) -> list[str]:
    return [name.removeprefix("approval-") for name in page.elements if "approval-" in name]


def test_the_most_urgent_question_comes_first(world, signed_in):
    slow, fast = make_approval(world), make_approval(world)
    move_clock(slow, decide_by=timedelta(minutes=30))
    move_clock(fast, decide_by=timedelta(minutes=5))

    page = signed_in("support").open("/w/demo/")

    assert rows(page) == [str(fast.pk), str(slow.pk)]
    assert page.elements["waiting"]["data-waiting"] == "2"


def test_what_is_settled_is_a_list_of_its_own(world, signed_in):
    settled, _pending = make_approval(world), make_approval(world)
    reject(world, "reviewer", settled)

    page = signed_in("reviewer").open("/w/demo/?show=settled")

    assert rows(page) == [str(settled.pk)]


def test_a_long_list_goes_on_where_it_stopped(world, signed_in):
    run = make_run(world)
    other = make_run(world)
    made = [make_approval(world, run if number < 30 else other) for number in range(53)]
    browser = signed_in("reviewer")

    first = browser.open("/w/demo/")
    link = first.html.partition('<p class="more"><a href="')[2].partition('"')[0]
    second = browser.open(f"/w/demo/{link}")

    assert (len(rows(first)), len(rows(second))) == (50, 3)
    assert {*rows(first), *rows(second)} == {str(each.pk) for each in made}


def test_the_inbox_costs_the_same_for_one_and_for_many(
    world, signed_in, django_assert_max_num_queries
):
    for _ in range(20):
        make_approval(world)
    browser = signed_in("reviewer")

    with django_assert_max_num_queries(25):
        browser.open("/w/demo/")


def test_an_empty_inbox_says_so(world, signed_in):
    assert "Nothing waits for a decision." in signed_in("reviewer").open("/w/demo/").html


def test_pages_say_when_nobody_is_there_to_send(world, signed_in):
    page = signed_in("reviewer").open("/w/demo/")

    assert "No dispatch worker heard for 15 s." in page.html
    assert "No relay heard for 15 s." in page.html


def test_a_ticket_is_sent_to_the_demos_agent(world, signed_in, settings, tmp_path):
    settings.DEMO, settings.DATA_DIR = True, tmp_path
    browser = signed_in("reviewer")
    browser.open("/w/demo/")

    page = browser.press("Send to the agent", ticket="plain")

    (ticket,) = (tmp_path / "tickets" / "inbox").iterdir()
    assert (page.address, json.loads(ticket.read_text())["story"]) == ("/w/demo/", "plain")


@pytest.mark.parametrize(("demo", "ticket"), [(False, "plain"), (True, "../../etc"), (True, "")])
def test_no_other_ticket_is_taken(world, signed_in, settings, tmp_path, demo, ticket):
    settings.DEMO, settings.DATA_DIR = demo, tmp_path
    browser = signed_in("reviewer")
    token = browser.open("/w/demo/").forms["form 0"].fields

    answer = browser.client.post("/w/demo/tickets/", {**token, "ticket": ticket})

    assert (answer.status_code, list(tmp_path.iterdir())) == (404, [])
