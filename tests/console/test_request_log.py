from __future__ import annotations

import pytest
from django.test import Client

from tests.console.api.conftest import Place
from tests.console.api.requests import run_body
from tests.console.lines import lines_of

pytestmark = pytest.mark.django_db


def answered(lines):
    (line,) = [line for line in lines if line["event"] == "answered"]
    return line


def test_a_request_is_one_line_that_names_its_route_and_not_what_was_asked_for():
    admin = Place("here").admin

    with lines_of() as lines:
        admin.get("/commands/of-jane", {})

    line = answered(lines)
    assert (line["method"], line["route"], line["status"]) == (
        "GET",
        "api/v1/commands/<path:command_id>",
        404,
    )
    assert "jane" not in str(line)


def test_a_line_says_who_asked_by_id_and_never_by_name():
    here = Place("here")
    agent = here.person("agent")

    with lines_of() as lines:
        here.agent.get("/runs")

    assert answered(lines)["actor"] == f"person:{agent.pk}"
    assert agent.username not in str(lines)


@pytest.mark.django_db(transaction=True)
def test_what_a_request_records_is_tied_to_the_run_and_to_the_request():
    agent = Place("here").agent

    with lines_of() as lines:
        run = agent.post("/runs", run_body(goal="Pay Jane back")).json()

    (recorded,) = [line for line in lines if line["event"] == "recorded"]
    assert recorded["facts"] == ["1 run.started"]
    assert recorded["correlation_id"] == run["id"]
    assert recorded["request_id"] == answered(lines)["request_id"]
    assert "Jane" not in str(lines)


@pytest.mark.parametrize(
    ("given", "is_kept"),
    [
        ("abc-123._X", True),
        ("x" * 64, True),
        ("x" * 65, False),
        ("two words", False),
        ("line\x0bbreak", False),
        ('"}', False),
        ("", False),
    ],
)
def test_an_id_from_a_proxy_is_kept_when_it_is_safe_to_write_down(given, is_kept):
    answer = Client().get("/healthz", headers={"X-Request-ID": given})

    assert (answer.headers["X-Request-ID"] == given) is is_kept
    assert answer.headers["X-Request-ID"]
