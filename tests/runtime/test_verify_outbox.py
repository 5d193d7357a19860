"""The outbox holds one row for each fact, numbered in order; whatever departs from it is named."""

from __future__ import annotations

import pytest
from django.db import DatabaseError, transaction

from runtime.models import Outbox, WorkspaceFeed
from runtime.verify_outbox import outbox_differences
from tests.runtime.anchors.lab import grown, number, unguarded

pytestmark = pytest.mark.django_db


@pytest.fixture
def run():
    run = grown(facts=3)
    number()
    grown(run)
    assert outbox_differences() == []
    return run


def row(run, position):
    return Outbox.objects.filter(run=run, position=position)


def test_a_fact_that_is_not_announced_is_named(run):
    with unguarded():
        row(run, 5)._raw_delete("default")  # noqa: SLF001

    assert outbox_differences() == [f"run {run.pk}, position 5: the outbox does not have it"]


def test_a_number_that_is_missing_is_named(run):
    with unguarded():
        row(run, 2)._raw_delete("default")  # noqa: SLF001

    assert outbox_differences() == [
        f"run {run.pk}, position 2: the outbox does not have it",
        f"workspace {run.workspace_id}: 3 facts are numbered up to 4, not to 4",
    ]


def test_an_announcement_of_nothing_is_named(run):
    Outbox.objects.create(workspace_id=run.workspace_id, run=run, position=9)

    said = "the outbox has it, the log does not"
    assert outbox_differences() == [f"run {run.pk}, position 9: {said}"]


def test_numbers_that_changed_places_are_named(run):
    with unguarded():
        for position, pos in ((2, None), (3, 2), (2, 3)):
            row(run, position).update(pos=pos)

    said = "numbered before a fact that it follows"
    assert outbox_differences() == [f"run {run.pk}, position 3: {said}"]


def test_a_feed_that_was_turned_back_is_named(run):
    WorkspaceFeed.objects.update(pos=3)

    said = "4 facts are numbered up to 4, not to 3"
    assert outbox_differences() == [f"workspace {run.workspace_id}: {said}"]


@pytest.mark.parametrize("change", [{"pos": 9}, {"pos": None}, {"position": 9}])
def test_the_database_refuses_another_number_or_another_fact(run, change):
    before = list(row(run, 2).values())

    with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
        row(run, 2).update(**change)

    assert list(row(run, 2).values()) == before


def test_the_database_refuses_anything_but_the_number_and_refuses_to_forget(run):
    before = list(row(run, 5).values())

    for change in ({"position": 6}, {"position": 6, "pos": 5}):
        with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
            row(run, 5).update(**change)
    with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
        row(run, 5)._raw_delete("default")  # noqa: SLF001

    assert list(row(run, 5).values()) == before
