"""Children are started in order, started again with growing pauses, and ended all together."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import accumulate
from pathlib import Path

import pytest

from console.embedded.crew import Crew, next_pause
from console.embedded.errors import StartError
from console.embedded.process_table import started_at
from console.embedded.processes import Child
from tests.embedded.conftest import REPOSITORY, wait_for

SPEED_UP = 20


def fast_crew(logs: Path, say: Callable[[str], None]) -> Crew:
    """A crew whose seconds are short."""
    return Crew(
        logs=logs,
        clock=lambda: time.monotonic() * SPEED_UP,
        sleep=lambda seconds: time.sleep(seconds / SPEED_UP),
        say=say,
    )


def shell(name: str, script: str) -> Child:
    return Child(name=name, argv=["/bin/sh", "-c", script], env={"PATH": os.defpath})


def program(name: str, *words: object) -> Child:
    argv = [sys.executable, "-m", "tests.embedded.programs", *map(str, words)]
    return Child(name=name, argv=argv, env=dict(os.environ), cwd=REPOSITORY)


def says(log: Path, text: str) -> bool:
    return text in log.read_text()


def test_pauses_double_up_to_ten_seconds_and_start_over_after_a_good_run():
    uptimes = [0.2, 0.2, 0.2, 0.2, 0.2, 0.2, 60, 0.2]

    pauses = list(accumulate(uptimes, next_pause, initial=0.0))

    assert pauses == [0, 1, 2, 4, 8, 10, 10, 1, 2]


def test_a_child_that_crashes_is_started_again_and_each_crash_is_said(tmp_path):
    said: list[str] = []
    crew = fast_crew(tmp_path, say=said.append)
    crew.start(shell("web", "echo tried; exit 3"))

    while len(said) < 4:
        crew.sleep(0.05)
        crew.tend()
    crew.end()

    log = tmp_path / "web.log"
    assert said == [
        f"web ended with status 3; starting it again in {pause} s ({log})" for pause in (1, 2, 4, 8)
    ]
    assert log.read_text().splitlines() == ["tried"] * 4


def test_a_child_that_never_gets_ready_is_given_up_with_its_last_words(tmp_path):
    crew = fast_crew(tmp_path, say=lambda _line: None)
    child = replace(shell("web", "echo no such table; exit 1"), ready=lambda: False)

    with pytest.raises(StartError) as refused:
        crew.start(child)
    crew.end()

    assert str(refused.value) == f"web does not start: no such table ({tmp_path / 'web.log'})"


def test_a_child_starts_only_after_the_one_before_is_ready(tmp_path):
    flag = tmp_path / "flag"
    crew = Crew(logs=tmp_path)
    crew.start(replace(shell("first", f"sleep 0.3; touch {flag}; sleep 60"), ready=flag.exists))
    crew.start(shell("second", f"ls {flag}; sleep 60"))

    wait_for((tmp_path / "second.log").read_text)
    crew.end()

    assert (tmp_path / "second.log").read_text() == f"{flag}\n"


def test_what_the_others_need_ends_last(tmp_path):
    diary = tmp_path / "diary"
    crew = Crew(logs=tmp_path)
    for name, is_foundation in (("postgres", True), ("valkey", True), ("web", False)):
        script = (
            f"trap 'echo {name} >> {diary}; exit' TERM; echo ready; while :; do sleep 0.05; done"
        )
        child = replace(shell(name, script), is_foundation=is_foundation)
        log = tmp_path / f"{name}.log"
        crew.start(replace(child, ready=partial(says, log, "ready")))

    crew.end()

    assert diary.read_text().split() == ["web", "valkey", "postgres"]


def test_a_child_that_ignores_its_end_is_killed_with_its_own_children(tmp_path):
    log = tmp_path / "worker.log"
    crew = Crew(logs=tmp_path, grace=0.3)
    crew.start(replace(program("worker", "stubborn"), ready=partial(says, log, "\n")))
    grandchild = next(int(line) for line in log.read_text().split() if line != "0")
    before = started_at(grandchild)

    crew.end()

    assert before is not None
    wait_for(lambda: started_at(grandchild) is None)


def test_every_change_reports_who_runs(tmp_path):
    reports = []
    crew = Crew(logs=tmp_path, changed=lambda pids: reports.append(sorted(pids)))
    crew.start(replace(shell("postgres", "sleep 60"), is_foundation=True))
    crew.start(shell("web", "sleep 60"))

    crew.end()

    assert reports == [["postgres"], ["postgres", "web"], ["postgres"], []]
