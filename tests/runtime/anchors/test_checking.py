"""What a database administrator rewrites is found by the anchors, and named: run and since when."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from runtime.anchors.checking import Check, beyond_the_log, not_anchored, since
from runtime.anchors.lines import Chain, Line, public_key
from runtime.models import Event, Run, Workspace
from runtime.verify import log_differences
from runtime.verify_outbox import outbox_differences
from tests.runtime.anchors.lab import (
    KEY,
    anchored,
    anchoring,
    cut_tail,
    differences,
    grown,
    remove,
    rewrite,
    sound_lines,
)

pytestmark = pytest.mark.django_db
OTHER = Ed25519PrivateKey.from_private_bytes(b"o" * 32)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "anchors.jsonl"


@pytest.fixture
def runs(path):
    """Three runs, anchored after their first facts and after their second ones."""
    runs = [grown(facts=2) for _ in range(3)]
    relaying = anchoring(path)
    anchored(relaying)
    for run in runs:
        grown(run, facts=2)
    anchored(relaying)
    for run in runs:
        run.refresh_from_db()
    assert differences(path) == []
    return runs


def told_by_the_log() -> list[str]:
    runs = Run.objects.values_list("pk", flat=True)
    return [*(each for run in runs for each in log_differences(run)), *outbox_differences()]


def blame(row: Event) -> None:
    row.actor = "person:0"


@pytest.mark.parametrize(("position", "named", "since_which"), [(2, 3, 0), (3, 3, 0), (4, 5, 1)])
def test_a_rewritten_suffix_is_found_only_by_the_anchors(runs, path, position, named, since_which):
    rewrite(runs[1], position, blame)

    assert told_by_the_log() == []
    anchor = since(sound_lines(path)[since_which])
    assert differences(path) == [f"run {runs[1].pk}: position {named} is another since {anchor}"]


def test_it_is_found_even_where_a_relay_has_anchored_what_was_written_instead(runs, path):
    rewrite(runs[0], 2, blame)
    grown(runs[0])
    anchored(anchoring(path))

    assert told_by_the_log() == []
    anchor = since(sound_lines(path)[0])
    assert differences(path) == [f"run {runs[0].pk}: position 3 is another since {anchor}"]


def test_a_fact_cut_from_the_tail_is_found_where_everything_else_was_made_to_fit(runs, path):
    cut_tail(runs[2])

    assert told_by_the_log() == []
    anchor = since(sound_lines(path)[1])
    assert differences(path) == [f"run {runs[2].pk}: position 5 is gone since {anchor}"]
    chain = Chain(upto={runs[2].workspace_id: 15})
    assert list(beyond_the_log(path, chain)) == [
        f"workspace {runs[2].workspace_id}: its log has 14 facts, {path} speaks of 15"
    ]


def test_a_run_that_was_taken_away_is_found(runs, path):
    remove(runs[0])

    assert told_by_the_log() == []
    anchor = since(sound_lines(path)[0])
    assert differences(path) == [f"run {runs[0].pk}: position 3 is gone since {anchor}"]


def lines_as(path, change):
    """Write the file anew with one of its lines changed by whoever has the file, not the key."""
    lines = [json.loads(text) for text in path.read_text().splitlines()]
    change(lines)
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))


def test_heads_rewritten_in_the_file_as_well_are_not_what_was_signed(runs, path):
    rewrite(runs[1], 2, blame)
    runs[1].refresh_from_db()

    def fit(lines):
        for head in lines[1]["heads"]:
            if head[0] == str(runs[1].pk):
                head[2] = runs[1].head_hash

    lines_as(path, fit)

    assert differences(path)[0] == f"{path}, line 2: lists other heads than were signed"
    assert differences(path)[1].startswith(f"run {runs[1].pk}: position 3 is another since")


def test_a_statement_changed_by_whoever_lacks_the_key_is_named(runs, path):
    def later(lines):
        lines[1]["statement"] = lines[1]["statement"].replace('"upto":15', '"upto":16')

    lines_as(path, later)

    assert differences(path) == [f"{path}, line 2: does not bear the signature of its key"]


@pytest.mark.parametrize("gone", [0, 1])
def test_a_line_taken_out_is_named_by_the_one_after_it(runs, path, gone):
    grown(runs[0])
    anchored(anchoring(path))

    lines_as(path, lambda lines: lines.pop(gone))

    said = f"does not follow anchor {gone}: lines were taken out or changed"
    assert differences(path) == [f"{path}, line {gone + 1}: {said}"]


def test_a_stranger_s_signature_is_not_good_and_an_old_key_is_while_it_is_known(path):
    run = grown()
    anchored(anchoring(path, OTHER))
    grown(run)
    anchored(anchoring(path, KEY))

    unknown = f"is signed with a key that is not known here, {public_key(OTHER)}"
    assert differences(path, KEY) == [f"{path}, line 1: {unknown}"]
    assert differences(path, KEY, OTHER) == []


def test_what_should_be_anchored_and_is_not_is_told_from_the_log(runs, path):
    """A file that lost its last lines is a good file."""
    whole = path.read_text().splitlines(keepends=True)
    path.write_text(whole[0])
    check = Check(path=path, trusted={public_key(KEY)})

    assert list(check.differences()) == []

    first = Event.objects.filter(position=4).earliest("recorded_at")
    when = f"{first.recorded_at:%Y-%m-%d %H:%M:%S} UTC"
    late = list(not_anchored(check.chain.upto, late=timedelta(0)))
    assert late == [f"workspace acme: 6 facts since {when} are in no anchor"]
    assert list(not_anchored(check.chain.upto, late=timedelta(minutes=10))) == []


def test_a_missing_file_says_nothing_and_all_of_the_log_is_in_no_anchor(runs, tmp_path):
    check = Check(path=tmp_path / "nowhere.jsonl", trusted={public_key(KEY)})

    assert list(check.differences()) == []
    (said,) = not_anchored(check.chain.upto, late=timedelta(0))
    assert said.startswith("workspace acme: 15 facts since ")


def test_an_anchor_of_a_workspace_that_is_gone_is_beyond_the_log(path):
    workspace = Workspace.objects.create(slug="gone", name="Gone")

    said = list(beyond_the_log(path, Chain(upto={workspace.pk: 2})))

    assert said == [f"workspace {workspace.pk}: its log has 0 facts, {path} speaks of 2"]


def test_what_is_no_line_is_no_anchor():
    assert Line.parsed("") is None
    assert Line.parsed('{"statement": "{}", "signature": "", "heads": []}') is None
