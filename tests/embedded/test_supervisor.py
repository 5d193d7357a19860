"""The demo's processes live and die together, and a new demo takes over from a killed one."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
from signal import SIGINT, SIGTERM

import pytest

from console.demo.fresh import empty as empty_folder
from console.demo.record import end_leftovers, record
from console.embedded.data_dir import layout, resolve
from console.embedded.errors import StartError
from console.embedded.home import make_data_dir
from console.embedded.locks import held
from console.embedded.postgres import ensure_database
from console.embedded.process_table import started_at
from console.embedded.session import running
from tests.embedded.conftest import processes_of, query, read_line, wait_for


def running_pids(where):
    return json.loads(where.processes.read_text())


@pytest.mark.parametrize("number", [SIGINT, SIGTERM])
def test_a_signal_ends_everything_in_a_few_seconds(where, start, number):
    demo = start("demo", where.root, in_background=True)
    read_line(demo, "ready")
    pids = running_pids(where)

    os.killpg(demo.pid, number)

    assert demo.wait(6) == 0
    assert sorted(pids) == ["postgres", "valkey", "web"]
    assert [pid for pid in pids.values() if started_at(pid)] == []
    assert processes_of(where) == []
    assert not where.processes.exists()


def test_a_killed_demo_leaves_nothing_and_the_next_one_has_its_data(where, start):
    killed = start("demo", where.root)
    read_line(killed, "ready")
    pids = running_pids(where)
    query(where, "CREATE TABLE kept AS SELECT 42 AS answer")

    killed.kill()
    second = start("demo", where.root)

    wait_for(lambda: not any(started_at(pid) for pid in pids.values()), within=2)
    read_line(second, "ready")
    assert query(where, "SELECT answer FROM kept") == [(42,)]


def test_a_second_demo_on_the_same_folder_is_refused_in_one_line(empty, start):
    with held(empty.demo_lock, wait=0, otherwise=AssertionError()):
        second = start("demo", empty.root)

        assert second.communicate()[0] == (
            f"A demo runs on {empty.root} already: stop it, or choose another --data.\n"
        )
    assert second.returncode == 1


def test_a_killed_server_is_started_again_with_its_data(where, start):
    demo = start("demo", where.root)
    read_line(demo, "ready")
    query(where, "CREATE TABLE kept AS SELECT 42 AS answer")
    first = running_pids(where)["postgres"]

    os.kill(first, signal.SIGKILL)
    log = where.logs / "postgres.log"
    read_line(demo, f"postgres was killed by SIGKILL; starting it again in 1 s ({log})")

    wait_for(lambda: ensure_database(where))
    assert query(where, "SELECT answer FROM kept") == [(42,)]
    assert running_pids(where)["postgres"] != first


def test_a_demo_waits_for_the_end_of_a_command_that_runs_the_servers(where, start):
    command = start("command", where.root)
    read_line(command, "ready")
    demo = start("demo", where.root)

    command.stdin.close()

    read_line(demo, "ready")
    assert command.wait() == 0


def test_a_command_uses_the_servers_of_the_demo_and_leaves_them_up(where, start):
    read_line(start("demo", where.root), "ready")
    command = start("command", where.root)
    read_line(command, "ready")

    command.stdin.close()

    assert command.wait() == 0
    assert processes_of(where) == ["postgres", "valkey-server"]


def test_a_taken_port_is_named_with_the_option_that_changes_it(empty, start):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]

        demo = start("demo", empty.root, port)

        assert demo.communicate()[0] == f"Port {port} is taken: choose another with --port.\n"
    assert not empty.servers.exists()


def test_a_recorded_pid_that_is_someone_elses_by_now_is_left_alone(empty):
    make_data_dir(empty)
    with subprocess.Popen(["/bin/sleep", "60"], start_new_session=True) as bystander:
        record(empty, {"web": bystander.pid})
        empty.starts.write_text(json.dumps({bystander.pid: "an earlier start"}))

        had_record = end_leftovers(empty, wait=0)

        untouched = started_at(bystander.pid)
        bystander.kill()
    assert had_record
    assert untouched is not None


def test_a_recorded_process_that_outlived_its_demo_is_ended(empty):
    make_data_dir(empty)
    script = "trap '' TERM; echo deaf; sleep 60"
    log = empty.logs / "web.log"
    words = ["/bin/sh", "-c", script]
    with (
        log.open("w") as output,
        subprocess.Popen(words, stdout=output, start_new_session=True) as leftover,
    ):
        wait_for(log.read_text)
        record(empty, {"web": leftover.pid})

        end_leftovers(empty, wait=0.2)

        assert leftover.wait(2) == -signal.SIGKILL


def test_fresh_empties_what_a_demo_made(where, start):
    (where.root / "demo.json").write_text("{}")
    with running(where, resolve(where.root, {}), durable=False):
        query(where, "CREATE TABLE old AS SELECT 42 AS answer")

    demo = start("demo", where.root, "", "fresh")
    read_line(demo, "ready")

    assert query(where, "SELECT 1 FROM pg_tables WHERE tablename = 'old'") == []
    assert not (where.root / "demo.json").exists()


def test_fresh_refuses_a_folder_with_files_of_others(empty):
    (empty.root / "thesis.txt").write_text("years of work")
    home = layout(empty.root)
    make_data_dir(home)

    with pytest.raises(StartError) as refused:
        empty_folder(home)

    assert str(refused.value) == (
        f"{empty.root} holds files the demo did not make: empty it or choose another --data."
    )
    assert (empty.root / "thesis.txt").read_text() == "years of work"
