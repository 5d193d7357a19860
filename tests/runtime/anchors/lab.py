"""Runs whose facts are numbered and anchored, and somebody with the owner's rights."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import contextmanager
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.db import connection, transaction

from runtime import relay
from runtime.anchors.checking import Check, since
from runtime.anchors.files import AnchorFile, lines_of
from runtime.anchors.lines import Line, public_key
from runtime.anchors.writing import Anchoring
from runtime.event_log import envelope_of, lock_run
from runtime.event_types import chain
from runtime.events import RunStopRequested
from runtime.models import Event, Outbox, Run, WorkspaceFeed
from runtime.projections import record_run
from tests.folded import altered_on_purpose
from tests.runtime.logs import CAUSE, started_run

KEY = Ed25519PrivateKey.from_private_bytes(b"k" * 32)
TABLES = ("runtime_event", "runtime_outbox", "runtime_receipt")


def anchoring(path: Path, key: Ed25519PrivateKey = KEY) -> Anchoring:
    """A relay's part that is always due."""
    return Anchoring(file=AnchorFile(path=path), key=key, every_s=0)


def number() -> None:
    for feed in Run.objects.values_list("workspace_id", flat=True).distinct():
        while relay.number_outbox(feed):
            pass


def anchored(relaying: Anchoring) -> list[Line]:
    number()
    relaying.write_if_due()
    return sound_lines(relaying.file.path)


def sound_lines(path: Path) -> list[Line]:
    return [line for _, line in lines_of(path) if line is not None]


def grown(run: Run | None = None, facts: int = 1) -> Run:
    """A run of so many facts more, or a new one."""
    run = run or started_run().run
    for _ in range(facts):
        with transaction.atomic():
            record_run(lock_run(run.pk, cause=CAUSE), RunStopRequested(reason=None))
    return run


def differences(path: Path, *keys: Ed25519PrivateKey) -> list[str]:
    trusted = {public_key(key) for key in keys or (KEY,)}
    return list(Check(path=path, trusted=trusted).differences())


@contextmanager
def unguarded():
    """What nobody but the tables' owner can do: take the guards off, and put them back."""
    altered_on_purpose.update(Run.objects.values_list("pk", flat=True))
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        for table in TABLES:
            cursor.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
        yield cursor
        for table in TABLES:
            cursor.execute(f"ALTER TABLE {table} ENABLE TRIGGER USER")


def rewrite(run: Run, position: int, change: Callable[[Event], None]) -> None:
    """Change a fact and everything that would tell: the hashes after it, and the run's head."""
    link = ""
    with unguarded():
        for row in Event.objects.filter(run=run, position__gte=position).order_by("position"):
            if row.position == position:
                change(row)
            else:
                row.prev_hash = link
            row.hash = link = chain(row.prev_hash, envelope_of(row), row.body)
            row.save()
    Run.objects.filter(pk=run.pk).update(head_hash=link)


def cut_tail(run: Run) -> None:
    """Take the last fact away with its announcement, and make the run and the feed fit."""
    last = Event.objects.filter(run=run).latest("position")
    before = Event.objects.get(run=run, position=last.position - 1)
    with unguarded():
        Event.objects.filter(pk=last.pk)._raw_delete("default")  # noqa: SLF001
        Outbox.objects.filter(run=run, position=last.position)._raw_delete("default")  # noqa: SLF001
    Run.objects.filter(pk=run.pk).update(head=before.position, head_hash=before.hash)
    renumber()


def remove(run: Run) -> None:
    """Take a whole run away, and close the gap in the numbers."""
    with unguarded():
        Event.objects.filter(run=run)._raw_delete("default")  # noqa: SLF001
        Outbox.objects.filter(run=run)._raw_delete("default")  # noqa: SLF001
        Run.objects.filter(pk=run.pk)._raw_delete("default")  # noqa: SLF001
    renumber()


def renumber() -> None:
    for feed in WorkspaceFeed.objects.all():
        rows = list(Outbox.objects.filter(workspace=feed.workspace_id).order_by("pos"))
        with unguarded():
            for pos, row in enumerate(rows, start=1):
                row.pos = pos
                row.save()
        feed.pos = len(rows)
        feed.save()


def since_first(path: Path) -> str:
    return since(sound_lines(path)[0])
