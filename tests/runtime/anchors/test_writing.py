"""What relays write down: every head that moved, once, whatever they are killed in."""

from __future__ import annotations

import logging
import os
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection

from runtime import merkle
from runtime.anchors import writing
from runtime.anchors.files import lines_of
from runtime.anchors.lines import FIRST, leaf
from runtime.models import Run
from tests.runtime.anchors.lab import anchored, anchoring, differences, grown, number, sound_lines

pytestmark = pytest.mark.django_db


@pytest.fixture
def path(tmp_path):
    return tmp_path / "kept" / "anchors.jsonl"


def heads_said(lines):
    said = {run: (position, link) for line in lines for run, position, link in line.heads}
    return {run: said[run] for run in sorted(said)}


def heads_stored():
    runs = Run.objects.order_by("pk")
    return {run.pk: (run.head, run.head_hash) for run in runs}


def test_a_new_file_begins_with_every_head_there_is(path):
    runs = [grown(facts=count) for count in (1, 2, 3)]

    (line,) = anchored(anchoring(path))

    says = line.says
    assert (says.number, says.previous, says.after, says.upto) == (1, FIRST, 0, 9)
    assert says.workspace == runs[0].workspace_id
    assert heads_said([line]) == heads_stored()
    assert says.root == merkle.root([leaf(head) for head in line.heads])


def test_a_line_says_what_moved_since_the_one_before_and_where_nothing_did_there_is_none(path):
    still, moving = grown(), grown()
    relaying = anchoring(path)
    anchored(relaying)
    grown(moving)

    first, second = anchored(relaying)

    assert (second.says.number, second.says.previous) == (2, first.digest)
    assert (second.says.after, second.says.upto) == (4, 5)
    assert [run for run, _, _ in second.heads] == [moving.pk]
    assert anchored(relaying) == [first, second]
    assert heads_said([first, second]) == heads_stored()
    assert still.pk in heads_said([first])


def test_very_much_at_once_is_said_in_several_lines(path, monkeypatch):
    monkeypatch.setattr(writing, "MOST", 4)
    for _ in range(3):
        grown(facts=2)

    lines = anchored(anchoring(path))

    assert [(line.says.after, line.says.upto) for line in lines] == [(0, 4), (4, 8), (8, 9)]
    assert heads_said(lines) == heads_stored()
    assert differences(path) == []


def test_only_what_has_a_number_is_anchored(path):
    grown()

    anchoring(path).write_if_due()

    assert sound_lines(path) == []


@pytest.mark.parametrize("left", [1, 40, -2])
def test_a_line_torn_by_a_crash_is_ended_and_told_and_nothing_is_lost(path, left, caplog):
    run = grown()
    (first,) = anchored(anchoring(path))
    grown(run)
    anchored(anchoring(path))
    whole = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(whole[0] + whole[1][:left])

    with caplog.at_level(logging.WARNING):
        lines = anchored(anchoring(path))

    assert "an anchor was torn by a crash" in caplog.text
    assert lines[0] == first
    assert [line is None for _, line in lines_of(path)] == [False, True, False]
    assert path.read_bytes().startswith(whole[0] + whole[1][:left] + b"\n")
    assert heads_said(lines) == heads_stored()
    assert differences(path) == []


def test_a_whole_line_that_lacks_its_end_alone_stays_an_anchor(path):
    grown()
    anchored(anchoring(path))
    os.truncate(path, path.stat().st_size - 1)

    anchored(anchoring(path))

    assert [line.says.number for line in sound_lines(path)] == [1]


def test_a_relay_goes_on_from_what_another_wrote(path):
    one, other = anchoring(path), anchoring(path)
    run = grown()
    for relaying in (one, other, one, one):
        anchored(relaying)
        grown(run)

    lines = anchored(other)

    assert [line.says.number for line in lines] == [1, 2, 3, 4, 5]
    assert differences(path) == []


def test_a_file_that_was_moved_away_is_begun_anew_with_everything(path):
    run = grown()
    relaying = anchoring(path)
    anchored(relaying)
    path.rename(path.with_suffix(".old"))
    grown(run)

    (line,) = anchored(relaying)

    assert (line.says.number, line.says.previous, line.says.after) == (1, FIRST, 0)
    assert heads_said([line]) == heads_stored()
    assert differences(path) == differences(path.with_suffix(".old")) == []


def test_a_file_that_cannot_be_written_is_told_and_stops_nothing(path, caplog):
    path.parent.mkdir()
    path.parent.joinpath("anchors.jsonl").mkdir()
    grown()
    relaying = anchoring(path)
    number()

    relaying.write_if_due()

    assert "anchors not written" in caplog.text
    path.rmdir()
    assert heads_said(anchored(relaying)) == heads_stored()


def test_it_is_done_only_every_so_often(path):
    relaying = anchoring(path)
    relaying.every_s = 3600
    run = grown()
    anchored(relaying)
    grown(run)

    assert len(anchored(relaying)) == 1


@pytest.mark.django_db(transaction=True)
def test_relays_at_one_file_take_turns_while_writers_write(path):
    runs = [grown() for _ in range(3)]
    done = threading.Event()

    def relay():
        relaying = anchoring(path)
        while not done.is_set():
            anchored(relaying)
        connection.close()

    def write(run):
        grown(run, facts=15)
        connection.close()

    with ThreadPoolExecutor(6) as pool:
        relays = [pool.submit(relay) for _ in range(3)]
        for each in [pool.submit(write, run) for run in runs]:
            each.result(60)
        done.set()
        for each in relays:
            each.result(60)
    lines = anchored(anchoring(path))

    assert [line.says.number for line in lines] == list(range(1, len(lines) + 1))
    assert all(line is not None for _, line in lines_of(path))
    assert heads_said(lines) == heads_stored()
    assert differences(path) == []
