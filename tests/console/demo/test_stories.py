from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor

import pytest

from console.api.schemas import ToolCallBody
from console.demo.agent import proposal
from console.demo.desk import Desk
from console.demo.stories import request_ticket, stories
from runtime.capabilities import require

EVERY_STORY = pytest.mark.parametrize("story", stories(), ids=lambda story: story.slug)


@pytest.fixture
def desk(settings, tmp_path):
    settings.DATA_DIR = tmp_path
    return Desk(tmp_path)


def ticket_of(story):
    told = story.about("5801").model_dump(mode="json")
    return told | {"ref": "T-1", "order": "5801", "payment": "pi_1"}


def test_there_is_one_story_for_each_thing_worth_seeing():
    assert [story.slug for story in stories()] == [
        "plain",
        "over-limit",
        "lost-answer",
        "already-approved",
        "missing-evidence",
        "yen",
        "about-to-expire",
        "two-refunds",
        "disputed",
        "refunded-elsewhere",
        "second-effect",
        "late-failure",
    ]


@EVERY_STORY
def test_what_the_agent_proposes_is_what_the_api_takes(story):
    ticket = ticket_of(story)

    bodies = [proposal(ticket, *each) for each in enumerate(ticket["refunds"], 1)]

    for body in bodies:
        taken = ToolCallBody.model_validate_json(json.dumps(body))
        parsed = require(taken.capability).parse(taken.arguments)
        assert parsed.amount.currency == story.payment["currency"].upper()


@EVERY_STORY
def test_a_story_asks_for_no_more_than_was_paid(story):
    asked = sum(refund["amount"]["minor"] for refund in story.refunds)

    assert 0 < asked <= story.payment["amount"]


@EVERY_STORY
def test_every_text_names_the_order_it_is_about(story):
    text = story.about("5801").model_dump_json()

    assert "{order}" not in text
    assert "5801" in story.about("5801").goal


def test_a_requested_ticket_lies_in_the_inbox_under_the_next_number(desk):
    request_ticket("plain")
    request_ticket("yen")

    found = {path.name: json.loads(path.read_text()) for path in desk.waiting()}
    assert found == {"T-1041.json": {"story": "plain"}, "T-1042.json": {"story": "yen"}}


def test_a_number_is_not_given_again_when_its_ticket_is_done(desk):
    request_ticket("plain")
    desk.close(desk.waiting()[0])

    request_ticket("plain")

    assert [path.name for path in desk.waiting()] == ["T-1042.json"]


def test_tickets_requested_at_once_get_a_number_each(desk):
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(request_ticket, ["plain"] * 40))

    assert [path.stem for path in desk.waiting()] == [f"T-{n}" for n in range(1041, 1081)]
    assert list(desk.inbox.glob("*.draft")) == []


def test_a_ticket_of_no_story_is_not_opened(desk):
    with pytest.raises(LookupError, match=r"there is no story '\.\./plain'"):
        request_ticket("../plain")

    assert not desk.inbox.exists()
