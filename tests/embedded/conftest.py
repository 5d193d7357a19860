from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psycopg
import pytest

from console.embedded.data_dir import DATABASE, Layout, layout, postgres_url, resolve
from console.embedded.home import make_data_dir, remove_home, remove_sockets
from console.embedded.session import running

REPOSITORY = Path(__file__).parent.parent.parent
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root gives up its rights")

# Each cluster is 40 MB of small files, which some disks take seconds to write.
MEMORY = Path("/dev/shm")  # noqa: S108 - mkdtemp makes the folder in it
HAS_ROOM = MEMORY.is_dir() and shutil.disk_usage(MEMORY).free > 2 * 1024**3

Start = Callable[..., subprocess.Popen[str]]


@pytest.fixture
def empty() -> Iterator[Layout]:
    """A DATA_DIR with nothing in it; tmp_path lies below folders the servers' user cannot enter."""
    with new_data_dir() as where:
        yield where


@pytest.fixture(scope="session")
def cluster() -> Iterator[Path]:
    """What every DATA_DIR but an empty one starts with: making it takes longest."""
    with new_data_dir() as where:
        with running(where, resolve(where.root, {}), durable=False):
            pass
        yield where.servers


@pytest.fixture
def where(empty: Layout, cluster: Path) -> Layout:
    """A DATA_DIR that was used before."""
    make_data_dir(empty)
    copy_cluster(cluster, empty.servers)
    return empty


def copy_cluster(cluster: Path, target: Path) -> None:
    subprocess.run(["/bin/cp", "-a", cluster, target], check=True)  # keeps the owner


@contextmanager
def new_data_dir() -> Iterator[Layout]:
    root = Path(tempfile.mkdtemp(prefix="countersign-test-", dir=MEMORY if HAS_ROOM else None))
    root.chmod(0o711)
    yield layout(root)
    remove_home(layout(root))
    remove_sockets(layout(root))
    shutil.rmtree(root)


@pytest.fixture
def start() -> Iterator[Start]:
    """Starts one of our programs as the leader of its own group; all are gone after the test."""
    started: list[subprocess.Popen[str]] = []

    def start_program(*words: object, in_background: bool = False) -> subprocess.Popen[str]:
        # A shell starts a background command with SIGINT ignored.
        prefix = ["/bin/sh", "-c", "trap '' INT; exec \"$@\"", "sh"] if in_background else []
        process = subprocess.Popen(
            [*prefix, sys.executable, "-m", "tests.embedded.programs", *map(str, words)],
            cwd=REPOSITORY,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        started.append(process)
        return process

    yield start_program
    for process in started:
        process.terminate()
    for process in started:
        with suppress(subprocess.TimeoutExpired):
            process.wait(5)
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        for stream in (process.stdin, process.stdout):
            if stream:
                stream.close()


def wait_for(question: Callable[[], object], within: float = 10.0) -> None:
    deadline = time.monotonic() + within
    while not question():
        assert time.monotonic() < deadline, "it did not come true in time"
        time.sleep(0.02)


def read_line(process: subprocess.Popen[str], line: str) -> None:
    """Read the program's output up to the line."""
    seen = []
    assert process.stdout
    for text in process.stdout:
        seen.append(text.strip())
        if seen[-1] == line:
            return
    raise AssertionError(seen)


def processes_of(where: Layout) -> list[str]:
    """The programs of this DATA_DIR's servers that run, sorted."""
    table = ["/bin/ps", "-ww", "-eo", "stat=,args="]
    listing = subprocess.run(table, capture_output=True, text=True, check=True)
    lines = (line.split(None, 1) for line in listing.stdout.splitlines())
    ours = (args for state, args in lines if str(where.sockets) in args and state[0] != "Z")
    return sorted(Path(args.split()[0]).name for args in ours)


def query(where: Layout, statement: str) -> list[tuple[object, ...]]:
    with psycopg.connect(postgres_url(where, DATABASE), autocommit=True) as connection:
        cursor = connection.execute(statement)
        return cursor.fetchall() if cursor.description else []
