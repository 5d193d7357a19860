from __future__ import annotations

from uuid import UUID, uuid4

import pytest
from django.db import transaction

from runtime.event_log import Cause, lock_run
from runtime.event_types import Ids
from runtime.events import ToolCallFoundIrreversible
from runtime.models import Event
from tests.console.api.client import code
from tests.console.api.requests import decide, propose, start


@pytest.fixture
def run(here, approval):
    """A run whose only call has been approved."""
    decide(here.reviewer, approval)
    return approval["run"]


def events(here, run):
    return here.reviewer.get(f"/runs/{run}/events").json()["events"]


def types(items):
    return [item["event_type"] for item in items]


def test_one_event_is_answered_as_it_stands_in_its_run(here, run):
    listed = events(here, run)

    read = [here.reviewer.get(f"/events/{each['event_id']}").json() for each in listed]

    assert read == listed


def test_the_causes_of_an_event_lead_up_to_the_start_of_its_run(here, run):
    last = events(here, run)[-1]

    causes = here.agent.get(f"/events/{last['event_id']}/causes").json()

    assert causes["is_whole"] is True
    assert types(item["event"] for item in causes["items"]) == [
        "tool.call.authorized",
        "approval.granted",
        "approval.voted",
        "approval.requested",
        "policy.decided",
        "tool.call.proposed",
        "run.started",
    ]


def test_whatever_a_command_led_to_names_it(here, run):
    last = events(here, run)[-1]

    causes = here.reviewer.get(f"/events/{last['event_id']}/causes").json()

    said = {
        "command_id": "decision-1",
        "kind": "approve",
        "actor": f"person:{here.person('reviewer').pk}",
        "http_status": 200,
    }
    assert [item["command"] for item in causes["items"]] == [said] * 3 + [None] * 4


def test_a_stop_is_where_its_chain_begins(here):
    run = start(here.agent)
    propose(here.agent, run)
    here.reviewer.post(f"/runs/{run}/commands", {"command_id": "s", "kind": "stop"})

    cancelled = next(
        each for each in events(here, run) if each["event_type"] == "tool.call.cancelled"
    )
    causes = here.reviewer.get(f"/events/{cancelled['event_id']}/causes").json()

    assert causes["is_whole"] is True
    assert types(item["event"] for item in causes["items"]) == [
        "tool.call.cancelled",
        "run.stop_requested",
    ]
    assert {item["command"]["command_id"] for item in causes["items"]} == {"s"}


def test_the_effects_of_an_event_are_all_that_came_of_it(here, run):
    voted = next(each for each in events(here, run) if each["event_type"] == "approval.voted")

    effects = here.support.get(f"/events/{voted['event_id']}/effects").json()

    assert types(effects["events"]) == ["approval.granted", "tool.call.authorized"]
    assert effects["head"] == Event.objects.filter(run=run).count()


def test_effects_are_read_page_by_page(here, run):
    listed = events(here, run)
    path = f"/events/{listed[0]['event_id']}/effects"

    first = here.reviewer.get(path, {"limit": 2}).json()["events"]
    rest = here.reviewer.get(path, {"after": first[-1]["position"]}).json()["events"]

    assert first + rest == listed[1:]


def test_a_chain_that_is_too_long_is_gone_on_with(here, run, monkeypatch):
    monkeypatch.setattr("console.api.event_links.MOST", 3)
    last = events(here, run)[-1]

    causes = here.reviewer.get(f"/events/{last['event_id']}/causes").json()

    assert causes["is_whole"] is False
    assert causes["items"][-1]["event"]["causation_id"] is not None
    assert len(causes["items"]) == 3


@pytest.mark.parametrize("path", ["", "/causes", "/effects"])
def test_an_event_that_does_not_exist_is_not_found(here, run, path):
    assert code(here.reviewer.get(f"/events/{uuid4()}{path}")) == (404, "not_found")


def test_an_event_from_before_causes_says_that_its_chain_is_not_whole(here, approval):
    call = Ids(tool_call_id=UUID(approval["tool_call"]))
    with transaction.atomic():
        locked = lock_run(UUID(approval["run"]), cause=Cause(producer="before"))
        fact = locked.append(ToolCallFoundIrreversible(), call)

    causes = here.reviewer.get(f"/events/{fact.envelope.event_id}/causes").json()

    assert [item["event"]["causation_id"] for item in causes["items"]] == [None]
    assert causes["is_whole"] is False
