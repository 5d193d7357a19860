"""W2 over HTTP: the web process dies before, during and after an append or a grant."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from signal import SIGKILL

import httpx
import pytest

from tests.scenarios.drills.test_pause_points import halted
from tests.scenarios.processes import readiness
from tests.scenarios.refunds import Desk, at_once, codes, new, wait_until
from tests.stack import running_stack

ITEM = {"role": "user", "content": "Please"}
RIVALS = 8


def append(stack, run, token, base, item=ITEM):
    body = {"base_revision": base, "attempt_token": token, "items": [item]}
    return stack.api("agent").send("POST", f"/runs/{run['id']}/session/appends", body)


def ask(stack, run):
    return stack.api("agent").send("POST", f"/runs/{run['id']}/continuations", {})


@pytest.mark.drill
@pytest.mark.parametrize(
    ("point", "judged"),
    [("before_append", ["unchanged", "committed"]), ("after_append", ["committed"])],
)
def test_an_append_whose_process_was_killed_is_in_the_history_once(point, judged):
    with running_stack("--no-tickets", PAUSE_AT=point) as stack, ThreadPoolExecutor(1) as pool:
        run = stack.api("agent").start_run(new("order"))
        lost = pool.submit(append, stack, run, "first", 0)
        kill_halted(stack)
        assert isinstance(lost.exception(), httpx.TransportError)

        gate = ask(stack, run).json()
        trail = stack.api("admin").get(f"/runs/{run['id']}/continuations")["events"]
        again = append(stack, run, "first", 0)
        after = append(stack, run, "second", 1)

        session = stack.api("agent").get(f"/runs/{run['id']}/session")
        assert gate["granted"] is True
        assert [each["payload"].get("verdict") for each in trail] == [None, *judged, None]
        assert (again.status_code, again.json()) == (200, {"revision": 1})
        assert (after.status_code, after.json()) == (201, {"revision": 2})
        assert [each["item"] for each in session["items"]] == [ITEM, ITEM]


@pytest.mark.drill
@pytest.mark.parametrize(("point", "grants"), [("before_grant", 1), ("after_grant", 2)])
def test_a_grant_nobody_heard_of_is_asked_for_again(point, grants):
    with running_stack("--no-tickets", PAUSE_AT=point) as stack, ThreadPoolExecutor(1) as pool:
        run = stack.api("agent").start_run(new("order"))
        lost = pool.submit(ask, stack, run)
        kill_halted(stack)
        assert isinstance(lost.exception(), httpx.TransportError)

        answer = ask(stack, run).json()

        trail = stack.api("admin").get(f"/runs/{run['id']}/continuations")["events"]
        granted = [each["payload"]["grant"] for each in trail]
        assert (len(granted), granted[-1]) == (grants, answer["grant"])


def kill_halted(stack):
    os.kill(halted(Desk(stack)), SIGKILL)
    # Whoever is started in its place is to run through.
    (stack.data_dir / "paused.json").write_text("{}")
    wait_until(lambda: readiness(stack) == 200, within=60)


@pytest.mark.drill
@pytest.mark.parametrize("round_number", range(10))
def test_of_appends_at_one_revision_one_is_taken(desk, round_number):
    run = desk.run()
    items = [{"role": "user", "content": str(number)} for number in range(RIVALS)]

    answers = at_once(
        [partial(append, desk.stack, run, f"by {item['content']}", 0, item) for item in items]
    )

    session = desk.stack.api("agent").get(f"/runs/{run['id']}/session")
    assert codes(answers) == [(201, "ok"), *[(409, "revision_moved")] * (RIVALS - 1)]
    winner = next(number for number, each in enumerate(answers) if each.status_code == 201)
    assert [each["item"] for each in session["items"]] == [items[winner]]
    assert {each.json()["revision"] for each in answers} == {1}


@pytest.mark.drill
@pytest.mark.parametrize("round_number", range(5))
def test_of_one_attempt_sent_many_times_at_once_one_append_is_made(desk, round_number):
    run = desk.run()

    answers = at_once([lambda: append(desk.stack, run, "the one", 0)] * RIVALS)

    session = desk.stack.api("agent").get(f"/runs/{run['id']}/session")
    assert {each.json()["revision"] for each in answers} == {1}
    assert sorted(each.status_code for each in answers) == [*[200] * (RIVALS - 1), 201]
    assert len(session["items"]) == 1
