"""A command's servers: kept data, one owner, and nothing left running."""

from __future__ import annotations

import os
import signal
import subprocess
import time

import pytest
import redis

from console.embedded.cluster import UNFINISHED
from console.embedded.crew import Crew
from console.embedded.data_dir import Layout, layout, resolve
from console.embedded.identity import server_account
from console.embedded.postgres import postgres
from console.embedded.processes import change_of_user
from console.embedded.session import owned, running
from tests.embedded.conftest import copy_cluster, processes_of, query, read_line, wait_for


def use(where: Layout):
    return running(where, resolve(where.root, {}), durable=False)


def test_what_a_command_stored_is_there_for_the_next_and_nothing_runs_in_between(where):
    with use(where):
        query(where, "CREATE TABLE kept AS SELECT 42 AS answer")
        client = redis.Redis.from_url(resolve(where.root, {}).redis_url)
        client.set("doorbell", "rang")
        client.close()
    between = processes_of(where), where.sockets.exists()

    with use(where):
        kept = query(where, "SELECT answer FROM kept")
        client = redis.Redis.from_url(resolve(where.root, {}).redis_url)
        doorbell = client.get("doorbell")
        client.close()

    assert between == ([], False)
    assert kept == [(42,)]
    assert doorbell is None


def test_durable_is_the_default(where):
    with running(where, resolve(where.root, {})):
        assert query(where, "SHOW fsync") == [("on",)]


def test_a_killed_command_leaves_nothing_running_and_its_data_whole(where, start):
    killed = start("command", where.root)
    read_line(killed, "ready")
    query(where, "CREATE TABLE kept AS SELECT 42 AS answer")

    killed.kill()
    killed.wait()

    wait_for(lambda: processes_of(where) == [], within=2)
    with use(where):
        assert query(where, "SELECT answer FROM kept") == [(42,)]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_command_that_is_stopped_takes_its_servers_with_it(where, start, number):
    stopped = start("command", where.root)
    read_line(stopped, "ready")

    os.killpg(stopped.pid, number)

    wait_for(lambda: processes_of(where) == [], within=3)


def test_a_command_killed_while_it_makes_the_cluster_leaves_nothing_in_the_way(empty, start):
    killed = start("command", empty.root)
    wait_for(lambda: list(empty.servers.glob(f"{UNFINISHED}*/base")))

    killed.kill()
    killed.wait()

    with use(empty):
        assert query(empty, "SELECT 1") == [(1,)]
    assert sorted(entry.name for entry in empty.servers.iterdir()) == ["postgres"]


def test_two_commands_at_once_share_one_server(empty, start):
    commands = [start("command", empty.root) for _ in range(2)]

    for command in commands:
        read_line(command, "ready")

    assert processes_of(empty) == ["postgres", "valkey-server"]


def test_the_owner_keeps_its_servers_up_while_another_command_uses_them(where, start):
    owner = start("command", where.root)
    read_line(owner, "ready")
    borrower = start("command", where.root)
    read_line(borrower, "ready")

    owner.stdin.close()
    time.sleep(0.5)
    while_borrowed = query(where, "SELECT 1")
    borrower.stdin.close()

    assert while_borrowed == [(1,)]
    assert (owner.wait(5), borrower.wait(5)) == (0, 0)
    assert processes_of(where) == []


def test_a_server_given_by_a_variable_is_not_run(where):
    endpoints = resolve(where.root, {"DATABASE_URL": "postgresql://db.example/shop"})

    with running(where, endpoints):
        assert processes_of(where) == ["valkey-server"]


def test_a_deep_data_dir_is_as_good_as_a_short_one(empty, cluster):
    deep = layout(empty.root / "/".join(["folder-with-a-long-name"] * 8))
    deep.root.mkdir(parents=True)
    copy_cluster(cluster, deep.servers)

    with use(deep):
        assert query(deep, "SELECT 1") == [(1,)]
    assert len(str(deep.valkey_socket)) < 100


@pytest.mark.parametrize("words", [("/bin/sleep", "60"), ("/bin/true",)], ids=["live", "zombie"])
def test_a_lock_that_names_an_unrelated_process_does_not_stop_the_start(where, words):
    account = server_account()
    bystander = subprocess.Popen(words, **change_of_user(account))
    lock = where.servers / "postgres" / "postmaster.pid"
    lock.write_text(f"{bystander.pid}\n{lock.parent}\n1\n5432\n\n\n\n")
    os.chown(lock, account.uid, account.gid)

    with use(where):
        answer = query(where, "SELECT 1")

    bystander.terminate()
    assert answer == [(1,)]
    assert bystander.wait() == (-signal.SIGTERM if "sleep" in words[0] else 0)


def test_an_orphaned_server_is_ended_by_the_next_owner(where, start):
    orphan = start("orphan", where.root)
    orphan.wait()
    before = processes_of(where)

    with owned(where):
        crew = Crew(logs=where.logs)
        crew.start(postgres(where, durable=False))
        answer = query(where, "SELECT 1")
        crew.end()

    assert before == ["postgres"]
    assert answer == [(1,)]
    assert processes_of(where) == []
