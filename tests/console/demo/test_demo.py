"""The demo, really started. The tests stand in the order of its life, which they share."""

from __future__ import annotations

import json
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from console.demo.stories import stories
from console.embedded.data_dir import layout
from tests.embedded.conftest import new_data_dir, processes_of, wait_for
from tests.stack import ROOT, Stack, environment

EVERYBODY = {"reviewer", "reviewer2", "senior", "support", "admin", "admin2", "agent"}
PROGRAMS = {"postgres", "valkey", "sandbox", "web", "worker-1", "worker-2", "relay", "agent"}


@pytest.fixture(scope="module")
def demo() -> Iterator[Stack]:
    with new_data_dir() as where:
        demo = Stack(where.root).start()
        yield demo
        if demo.process.poll() is None:
            demo.stop()


def running(demo: Stack) -> list[str]:
    """The command lines of whatever runs for this DATA_DIR, however it came to be."""
    ours = f"DATA_DIR={demo.data_dir}\0".encode()
    programs = [
        (process / "cmdline").read_bytes().replace(b"\0", b" ").decode()
        for process in Path("/proc").glob("[0-9]*")
        if ours in read_environment(process)
    ]
    return [program for program in programs if program] + processes_of(layout(demo.data_dir))


def read_environment(process: Path) -> bytes:
    try:
        return (process / "environ").read_bytes()
    except OSError:
        return b""


def manage(data_dir: Path, *words: str) -> str:
    done = subprocess.run(
        [sys.executable, "manage.py", *words],
        cwd=ROOT,
        env=environment(DATA_DIR=str(data_dir)),
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def pending(demo: Stack):
    return demo.api("reviewer").get("/approvals", status="pending", limit=50)["items"]


def test_it_says_where_it_is_once_it_is_ready(demo):
    assert set(demo.processes()) == PROGRAMS
    assert demo.api("reviewer").http.get(f"{demo.url}/readyz").status_code == 200


def test_demo_json_is_private_and_says_how_to_reach_everything(demo):
    path = demo.data_dir / "demo.json"

    content = json.loads(path.read_text())
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert set(content) == {"url", "sandbox_url", "sandbox_token", "tokens"}
    assert content["url"] == demo.url
    assert content["sandbox_url"] == f"http://127.0.0.1:{demo.sandbox_port}"
    assert set(content["tokens"]) == EVERYBODY
    assert demo.sandbox.journal() is not None


def test_its_agent_asks_about_every_refund_of_every_story(demo):
    asked = sorted(refund["amount"]["minor"] for story in stories() for refund in story.refunds)

    wait_for(lambda: len(pending(demo)) == len(asked), within=30)

    assert sorted(each["effect"]["amount"]["minor"] for each in pending(demo)) == asked


def test_other_commands_use_its_servers(demo):
    count = "from runtime.models import Person; print(Person.objects.count())"

    printed = manage(demo.data_dir, "shell", "--no-imports", "-c", count)

    assert printed == f"{len(EVERYBODY)}\n"


def test_a_worker_that_is_killed_is_started_again(demo):
    killed = demo.kill_process("worker-1")

    wait_for(lambda: demo.processes().get("worker-1", killed) != killed, within=15)

    assert set(demo.processes()) == PROGRAMS


def test_a_second_demo_on_the_same_folder_is_refused_in_one_line(demo):
    second = subprocess.run(
        demo.command(), cwd=ROOT, env=environment(), capture_output=True, text=True, check=False
    )

    assert second.returncode == 2
    assert second.stderr == (
        f"A demo runs on {demo.data_dir} already: stop it, or choose another --data.\n"
    )


def test_killed_and_started_again_it_has_kept_everything(demo):
    tokens, questions = demo.tokens, {each["id"] for each in pending(demo)}

    demo.kill()
    demo.start()

    assert demo.tokens == tokens
    assert {each["id"] for each in pending(demo)} == questions


def test_its_agent_goes_on_where_it_was_killed(demo):
    api = demo.api("reviewer")
    approval = next(each for each in pending(demo) if each["effect"]["amount"]["minor"] == 4900)

    assert api.decide(approval, "approve").status_code == 200

    path = f"/runs/{approval['run']}"
    wait_for(lambda: api.get(path)["status"] == "completed", within=30)
    wait_for(lambda: len(list((demo.data_dir / "tickets" / "done").iterdir())) == 1)


def test_interrupted_it_leaves_nothing_running(demo):
    recorded = list(demo.processes().values())

    assert demo.stop() == 0

    assert [pid for pid in recorded if Path(f"/proc/{pid}").exists()] == []
    assert running(demo) == []
    assert not (demo.data_dir / "processes.json").exists()


def test_a_command_starts_the_servers_for_its_own_length(demo):
    count = "from runtime.models import Run; print(Run.objects.count())"

    printed = manage(demo.data_dir, "shell", "--no-imports", "-c", count)

    assert printed == f"{len(stories())}\n"
    assert running(demo) == []


def test_a_fresh_start_has_forgotten_everything(demo):
    tokens = demo.tokens
    demo.options = ("--no-tickets",)

    demo.start("--fresh")

    assert set(demo.tokens) == EVERYBODY
    assert set(demo.tokens.values()).isdisjoint(tokens.values())
    assert pending(demo) == []
    assert set(demo.processes()) == PROGRAMS - {"agent"}
    assert not (demo.data_dir / "tickets").exists()
