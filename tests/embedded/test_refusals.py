"""What keeps the servers from starting is said in one line."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from console.embedded.data_dir import layout, resolve
from console.embedded.errors import StartError, plain_errors
from console.embedded.identity import server_account
from console.embedded.programs import package_folder
from console.embedded.session import running
from tests.embedded.conftest import as_root, processes_of


def refusal(where) -> str:
    with (
        pytest.raises(StartError) as refused,
        running(where, resolve(where.root, {}), durable=False),
    ):
        pass
    return str(refused.value)


def test_a_cluster_of_another_version_is_refused_and_left_alone(where):
    version = where.servers / "postgres" / "PG_VERSION"
    version.write_text("15\n")

    line = refusal(where)

    assert line == (
        f"{where.root} was made by PostgreSQL 15, this is 18.6: "
        "choose another --data, or start over with --fresh."
    )
    assert version.read_text() == "15\n"


def test_a_data_dir_that_cannot_be_written_is_refused(empty, start):
    empty.root.chmod(0o555)

    process = start("command_of_nobody", empty.root)

    assert process.communicate()[0] == (
        f"{empty.root} is not writable: choose another with --data or DATA_DIR.\n"
    )
    assert process.returncode == 1


def test_a_file_in_the_place_of_data_dir_is_refused(empty):
    file = empty.root / "file"
    file.touch()

    line = refusal(layout(file))

    assert line.startswith(f"{file} cannot be used: ")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a device that is full")
def test_a_full_disk_is_named(empty):
    with pytest.raises(StartError) as refused, plain_errors(empty.root):
        Path("/dev/full").write_text("x")

    assert str(refused.value) == f"No space left on the device that holds {empty.root}."


@as_root
def test_a_disk_that_fills_while_the_cluster_is_made_leaves_nothing_in_the_way(empty):
    small = layout(empty.root / "small")
    small.root.mkdir()
    options = "size=16m,mode=711"
    mount = ["/bin/mount", "-t", "tmpfs", "-o", options, "tmpfs", str(small.root)]
    if subprocess.run(mount, capture_output=True, check=False).returncode != 0:
        pytest.skip("this root may not mount")

    try:
        line = refusal(small)
        subprocess.run(["/bin/mount", "-o", "remount,size=256m", str(small.root)], check=True)
        with running(small, resolve(small.root, {}), durable=False):
            running_then = processes_of(small)
    finally:
        subprocess.run(["/bin/umount", str(small.root)], check=True)

    assert line == f"No space left on the device that holds {small.root}."
    assert running_then == ["postgres", "valkey-server"]


@as_root
def test_sockets_in_a_folder_someone_else_made_are_refused(empty):
    empty.sockets.mkdir(mode=0o700)
    os.chown(empty.sockets, server_account().uid, server_account().gid)

    line = refusal(empty)

    assert line == (
        f"{empty.sockets} was made by someone else: remove it or choose another --data."
    )
    assert processes_of(empty) == []
    empty.sockets.rmdir()


def test_a_missing_wheel_is_named(empty):
    with pytest.raises(StartError) as refused:
        package_folder("no_such_postgres", empty.root, server_account())

    assert str(refused.value).startswith("no_such_postgres has no program for ")
    assert "DATABASE_URL" in str(refused.value)
