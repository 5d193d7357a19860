"""What the operator types about the log and about calls nobody has heard of yet."""

from __future__ import annotations

import json
from datetime import timedelta
from uuid import uuid4

import pytest
from django.core.management import CommandError

from runtime.event_log import database_now
from runtime.models import Event, Timer
from tests.console.commands import run_command
from tests.factories import make_approval, make_grant, make_world
from tests.handoffs import make_handoff

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def world():
    return make_world()


def test_the_log_is_exported_event_by_event_in_order(world):
    calls = [make_grant(world).tool_call, make_approval(world).tool_call]

    lines = [json.loads(line) for line in run_command("export_events", "--workspace", "demo")]

    stored = Event.objects.order_by("run_id", "position")
    assert [line["event_id"] for line in lines] == [str(row.event_id) for row in stored]
    assert {line["run"] for line in lines} == {str(call.run_id) for call in calls}


def test_one_run_is_exported_alone(world):
    wanted = make_grant(world).tool_call.run_id
    make_approval(world)

    lines = [
        json.loads(each)
        for each in run_command("export_events", "--workspace=demo", f"--run={wanted}")
    ]

    assert {line["run"] for line in lines} == {str(wanted)}
    assert [line["position"] for line in lines] == list(range(1, len(lines) + 1))


@pytest.mark.parametrize(
    "options", [["--workspace=nowhere"], ["--workspace=demo", f"--run={uuid4()}"]]
)
def test_what_is_not_there_is_not_exported(world, options):
    with pytest.raises(CommandError):
        run_command("export_events", *options)


def test_a_call_in_doubt_is_looked_at_now_and_a_question_is_not(world):
    handed_off = make_handoff(world)
    make_approval(world)
    Timer.objects.all().delete()

    said = run_command("reconcile", "--workspace", "demo")

    assert said == ["1 calls are looked at."]
    timer = Timer.objects.get()
    assert timer.subject == handed_off.pk
    assert timer.due_at <= database_now() + timedelta(seconds=2)
