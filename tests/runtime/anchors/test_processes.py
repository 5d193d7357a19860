"""Anchor files of real processes: killed while they write, or out of space."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.conf import settings

from console.embedded.data_dir import layout
from runtime.anchors.files import lines_of
from runtime.anchors.keys import signing_key
from runtime.anchors.lines import Chain
from runtime.models import Run, WorkspaceFeed
from tests.runtime.anchors.lab import differences, grown, sound_lines
from tests.runtime.relay.processes import Crew, wait_for

ROUNDS = 4


@pytest.fixture
def crew(tmp_path):
    with Crew(where=layout(tmp_path / "data")) as crew:
        crew.start_valkey()
        yield crew


def reach(path) -> int:
    chain = Chain()
    for line in sound_lines(path) if path.exists() else ():
        chain.follow(line)
    return max(chain.upto.values(), default=0)


def wait_for_more_than(behind: int, path) -> None:
    wait_for(lambda: reach(path) > behind)


@pytest.mark.drill
@pytest.mark.django_db(transaction=True)
def test_a_relay_killed_while_it_anchors_leaves_a_file_that_the_next_goes_on_with(crew):
    path = crew.where.root / "anchors.jsonl"
    runs = [grown() for _ in range(3)]

    for number in range(ROUNDS):
        crew.start("relay", ANCHOR_EVERY_S="0")
        wait_for_more_than(reach(path), path)
        for run in runs:
            grown(run, facts=3)
        time.sleep(0.05 * number)
        crew.kill("relay")
        grown(runs[0])
    crew.start("relay", ANCHOR_EVERY_S="0")
    facts = sum(Run.objects.values_list("head", flat=True))
    wait_for(lambda: reach(path) == facts)

    assert WorkspaceFeed.objects.get().pos == facts
    key = signing_key((crew.where.root / "keys" / "anchor_key").read_text())
    assert differences(path, key) == []
    assert crew.stop("relay") == 0


@pytest.mark.parametrize("size", [50, 700, 1000, 1900])
def test_a_line_that_did_not_fit_is_ended_and_said_again(tmp_path, size):
    path = tmp_path / "anchors.jsonl"

    subprocess.run(
        [sys.executable, "-m", "tests.runtime.anchors.full_disk", str(path), str(size)],
        cwd=settings.BASE_DIR,
        check=True,
        capture_output=True,
    )

    lines = sound_lines(path)
    assert [line is None for _, line in lines_of(path)].count(True) == 1
    assert [line.says.number for line in lines] == list(range(1, len(lines) + 1))
    assert path.read_bytes()[size : size + 1] == b"\n"


def test_a_key_of_another_length_is_none():
    with pytest.raises(ValueError, match="32 bytes"):
        signing_key("c2hvcnQ=")
    assert isinstance(
        signing_key("bm5ubm5ubm5ubm5ubm5ubm5ubm5ubm5ubm5ubm5ubm4="), Ed25519PrivateKey
    )
