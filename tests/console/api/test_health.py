from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import OperationalError, connection
from django.test import Client

from runtime.event_log import database_now
from runtime.models import Heartbeat


def heard(kind: str, seconds_ago: float) -> None:
    at = database_now() - timedelta(seconds=seconds_ago)
    Heartbeat.objects.create(owner=f"{kind}-{seconds_ago}", kind=kind, at=at)


def readiness():
    answer = Client().get("/readyz")
    return answer.status_code, answer.json()


def test_a_process_that_answers_is_healthy_whatever_is_behind_it():
    answer = Client().get("/healthz")

    assert (answer.status_code, answer.json()) == (200, {"ok": True})


@pytest.mark.django_db
def test_it_is_ready_while_a_worker_and_a_relay_are_heard():
    heard("worker", 1)
    heard("worker", 300)
    heard("relay", 14)

    assert readiness() == (200, {"ok": True, "failing": []})


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("worker", "relay", "failing"),
    [(16, 1, ["worker"]), (1, 16, ["relay"]), (16, 16, ["worker", "relay"])],
)
def test_it_is_not_ready_when_one_was_not_heard_for_fifteen_seconds(worker, relay, failing):
    heard("worker", worker)
    heard("relay", relay)

    assert readiness() == (503, {"ok": False, "failing": failing})


@pytest.mark.django_db
def test_it_is_not_ready_when_nothing_was_ever_heard():
    assert readiness() == (503, {"ok": False, "failing": ["worker", "relay"]})


@pytest.mark.django_db
def test_it_is_not_ready_without_its_database():
    def unreachable(*_):
        raise OperationalError("connection refused")

    with connection.execute_wrapper(unreachable):
        answer = readiness()

    assert answer == (503, {"ok": False, "failing": ["database"]})


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_health_is_read_and_never_posted(path):
    assert Client(enforce_csrf_checks=True).post(path).status_code == 405
