"""The worker and the relay as processes: approved calls are carried out, whatever restarts."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator

import pytest
from django.db import connection

from console.embedded.data_dir import layout
from runtime.data_keys import seal
from runtime.models import Event, Heartbeat, Outbox, ProviderAccount, ToolCall
from tests.factories import World, make_grant, make_world
from tests.runtime.relay.processes import Crew, wait_for
from tests.sandbox_client import Sandbox

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.drill]


@pytest.fixture
def sandbox(tmp_path) -> Iterator[Sandbox]:
    with Sandbox(tmp_path / "sandbox") as sandbox:
        yield sandbox


@pytest.fixture
def world(transactional_db, sandbox) -> World:
    world = make_world()
    ProviderAccount.objects.create(
        workspace=world.workspace,
        provider="stripe",
        label="sandbox",
        api_base=sandbox.url,
        secret=seal(sandbox.api_key),
    )
    return world


@pytest.fixture
def crew(tmp_path) -> Iterator[Crew]:
    with Crew(where=layout(tmp_path / "data")) as crew:
        crew.start_valkey()
        crew.start("worker")
        crew.start("relay")
        yield crew


def approved(world: World, sandbox: Sandbox) -> ToolCall:
    payment = sandbox.control.payment(10_000)["id"]
    return make_grant(world, payment=payment).tool_call


def is_confirmed(call: ToolCall) -> bool:
    call.refresh_from_db()
    return call.verification_status == "confirmed_success"


def cut_other_connections() -> None:
    """What a restart of PostgreSQL does to those who use it."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )


def kinds_heard() -> set[str]:
    return set(Heartbeat.objects.values_list("kind", flat=True))


def test_approved_calls_are_carried_out_across_restarts_of_broker_and_database(
    world, sandbox, crew
):
    wait_for(lambda: kinds_heard() == {"worker", "relay"})
    calls = [approved(world, sandbox)]
    wait_for(lambda: is_confirmed(calls[0]))

    crew.kill("valkey")
    calls.append(approved(world, sandbox))
    wait_for(lambda: "wake-up" in crew.log("relay").read_text())
    crew.start_valkey()
    wait_for(lambda: is_confirmed(calls[1]), within_s=120)
    cut_other_connections()
    calls.append(approved(world, sandbox))
    wait_for(lambda: is_confirmed(calls[2]), within_s=120)

    assert [sandbox.control.payouts(call.intent) for call in calls] == [1, 1, 1]
    wait_for(lambda: not Outbox.objects.filter(pos=None).exists())
    for name in ("relay", "worker"):
        assert crew.stop(name) == 0, crew.log(name).read_text()
    assert kinds_heard() == set()


@pytest.mark.parametrize(
    ("point", "was_unknown"),
    [
        ("before_intent", False),
        ("after_intent", False),
        ("after_sent", True),
        ("after_write", True),
        ("after_answer", True),
        ("after_record", False),
    ],
)
def test_wherever_a_worker_is_killed_the_next_one_finishes_its_call(
    world, sandbox, crew, point, was_unknown
):
    crew.kill("worker")
    crew.start("worker", PAUSE_AT=point, COUNTERSIGN_DEMO="True")
    paused = crew.where.root / "paused.json"
    call = approved(world, sandbox)
    wait_for(paused.exists)
    assert json.loads(paused.read_text()) == {"point": point, "pid": crew.running["worker"].pid}

    crew.kill("worker")
    crew.start("worker")
    wait_for(lambda: is_confirmed(call), within_s=120)

    assert sandbox.control.payouts(call.intent) == 1
    assert call.was_unknown is was_unknown


@pytest.mark.parametrize("point", ["after_sent", "after_write", "after_answer"])
def test_a_worker_that_wakes_up_after_its_call_is_done_changes_nothing(world, sandbox, crew, point):
    crew.kill("worker")
    crew.start("worker", PAUSE_AT=point, COUNTERSIGN_DEMO="True")
    call = approved(world, sandbox)
    wait_for((crew.where.root / "paused.json").exists)
    crew.running["sleeper"] = crew.running.pop("worker")
    crew.start("worker")
    wait_for(lambda: is_confirmed(call), within_s=120)

    sleeper = crew.running["sleeper"]
    sleeper.send_signal(signal.SIGCONT)
    # It ends its task before it ends itself.
    sleeper.terminate()
    sleeper.wait(30)

    late = Event.objects.filter(tool_call_id=call.pk, event_type="tool.attempt.answered_late")
    posts = [each for each in sandbox.control.journal(call.intent) if each["method"] == "POST"]
    assert is_confirmed(call)
    assert sandbox.control.payouts(call.intent) == 1
    # Before the wire nothing leaves any more; behind it the answer is an observation.
    assert (late.exists(), len(posts)) == ((False, 1) if point == "after_sent" else (True, 1))
