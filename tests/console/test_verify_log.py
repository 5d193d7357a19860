"""`verify_log` names whatever was done to the stored log, whoever did it, and exits 1."""

from __future__ import annotations

import io

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.core.management import CommandError, call_command
from django.db.models import F

from console.anchors import anchoring, own_key, trusted_keys
from runtime.anchors.checking import since
from runtime.anchors.lines import public_key
from runtime.models import Event, Run, WorkspaceFeed
from tests.console.commands import run_command
from tests.factories import make_grant, make_world
from tests.runtime.anchors.lab import anchored, grown, remove, rewrite, since_first, unguarded

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def anchors(settings, tmp_path):
    settings.ANCHOR_FILE = tmp_path / "anchors.jsonl"
    return settings.ANCHOR_FILE


@pytest.fixture
def run(anchors) -> Run:
    """A run of a grant, anchored; beside it another."""
    world = make_world()
    run = make_grant(world).run
    make_grant(world)
    anchored(anchoring())
    assert verified() == []
    return Run.objects.get(pk=run.pk)


def verified(*options: str) -> list[str]:
    """What the command names, with the exit status that goes with it."""
    out, complaint = io.StringIO(), None
    try:
        call_command("verify_log", *options, stdout=out)
    except CommandError as error:
        complaint = str(error)
    said = out.getvalue().splitlines()
    counted = f"The log is not what was recorded: {len(said)} differences."
    assert complaint == (counted if said else None)
    return said


def at(run: Run, position: int):
    return Event.objects.filter(run=run, position=position)


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("body", "{}"),
        ("actor", "person:0"),
        ("producer", "forger"),
        ("event_type", "run.stopped"),
        ("schema_version", 2),
        ("correlation_id", "other"),
        ("turn_id", "other"),
    ],
)
def test_a_changed_column_is_named(run, column, value):
    with unguarded():
        at(run, 2).update(**{column: value})

    kind = at(run, 2).get().event_type
    assert verified() == [f"run {run.pk}, position 2: {kind} is not what was recorded"]


def test_a_changed_link_is_named(run):
    with unguarded():
        at(run, 3).update(prev_hash=F("hash"))

    where = f"run {run.pk}, position 3"
    kind = at(run, 3).get().event_type
    assert verified() == [
        f"{where}: not chained to the event before it",
        f"{where}: {kind} is not what was recorded",
    ]


def test_two_facts_that_changed_places_are_named(run):
    with unguarded():
        for position, other in ((2, 999), (3, 2), (999, 3)):
            at(run, position).update(position=other)

    said = verified()

    assert {line.partition(":")[0] for line in said} == {
        f"run {run.pk}, position {position}" for position in (2, 3, 4)
    }
    assert f"run {run.pk}, position 2: not chained to the event before it" in said


def test_a_fact_taken_out_of_the_middle_is_named_by_the_log_and_by_the_outbox(run):
    with unguarded():
        at(run, 2)._raw_delete("default")  # noqa: SLF001

    assert verified() == [
        f"run {run.pk}, position 3: position 2 is missing",
        f"run {run.pk}, position 3: not chained to the event before it",
        f"run {run.pk}, position 2: the outbox has it, the log does not",
    ]


def test_a_rewritten_suffix_is_named_with_the_anchor_it_departs_from(run, anchors):
    rewrite(run, 2, lambda row: setattr(row, "actor", "person:0"))

    anchor = since_first(anchors)
    assert verified() == [f"run {run.pk}: position {run.head} is another since {anchor}"]


def test_a_run_taken_away_whole_is_named(run, anchors):
    gone = grown()
    *_, anchor = anchored(anchoring())

    remove(gone)

    workspace = gone.workspace_id
    assert verified() == [
        f"run {gone.pk}: position 2 is gone since {since(anchor)}",
        f"workspace {workspace}: its log has 0 facts, {anchors} speaks of 2",
    ]


def test_facts_that_have_long_been_in_no_anchor_are_named(run, anchors, settings):
    anchors.unlink()
    settings.ANCHOR_EVERY_S = 0

    (said,) = verified()

    facts = WorkspaceFeed.objects.get().pos
    assert said.startswith(f"workspace demo: {facts} facts since ")
    assert said.endswith(" are in no anchor")


def test_anchors_that_are_kept_elsewhere_are_read_from_there(run, anchors, tmp_path, settings):
    copy = tmp_path / "copy.jsonl"
    anchors.rename(copy)
    settings.ANCHOR_EVERY_S = 0

    assert len(verified()) == 1
    assert verified(f"--anchors={copy}") == []


def test_a_new_key_leaves_the_old_one_good_while_it_is_named(run, anchors, monkeypatch):
    old = public_key(own_key())
    new = Ed25519PrivateKey.from_private_bytes(b"n" * 32)
    monkeypatch.setenv("ANCHOR_KEY", "bm5ubm5ubm5ubm5ubm5ubm5ubm5ubm5ubm5ubm5ubm4=")

    assert trusted_keys() == {public_key(new)}
    unknown = f"is signed with a key that is not known here, {old}"
    assert verified() == [f"{anchors}, line 1: {unknown}"]
    assert verified(f"--public-key={old}") == []


def test_the_public_key_is_told_and_nothing_else():
    assert run_command("anchor_key") == [public_key(own_key())]
