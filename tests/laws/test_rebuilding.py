"""`rebuild_projections` after the worst: every projected column wrong, or no row left."""

from __future__ import annotations

from dataclasses import fields
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest
from django.db import connection, models
from django.db.models import F, Value

from approvals import folding as approvals
from approvals.folding import ConsumptionState, VoteState
from approvals.models import Approval, Consumption, Vote
from approvals.reducers import ApprovalState
from runtime import folding as runtime
from runtime.case_reducer import CaseState
from runtime.models import Attempt, Case, Run, ToolCall
from runtime.reducers import AttemptState, CallState
from runtime.run_reducer import RunState
from tests.laws.history import History
from tests.laws.test_commands import said_by

pytestmark = pytest.mark.django_db

PROJECTED: dict[Any, Any] = {
    Run: RunState,
    ToolCall: CallState,
    Attempt: AttemptState,
    Case: CaseState,
    Approval: ApprovalState,
    Vote: VoteState,
    Consumption: ConsumptionState,
}
KINDS: dict[Any, str] = {ToolCall: "call"}
# What says which vote it is: another one is a vote without facts, and left to people.
KEYS = {"approval_id", "person_id", "decision"}


@pytest.fixture
def run(sandbox):
    """A run with a row of every kind."""
    history = History(sandbox)
    for move in ("propose", "approve", "work", "work", "take_back", "observe"):
        getattr(history, move)(0, 0)
    (call,) = history.calls
    assert all(model.objects.count() for model in PROJECTED)
    return call.run_id


@pytest.fixture
def _unguarded():
    """As somebody who owns the tables can have them: without triggers, references and checks."""
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        for model in PROJECTED:
            table = model._meta.db_table  # noqa: SLF001
            for constraint in model._meta.constraints:  # noqa: SLF001
                if isinstance(constraint, models.CheckConstraint):
                    cursor.execute(f"ALTER TABLE {table} DROP CONSTRAINT {constraint.name}")
            cursor.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
        cursor.execute("SET LOCAL session_replication_role = replica")


def repaired():
    """Put the triggers back, as whoever has done it would; what the rows were is not known."""
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = origin")


def altered(field):
    """Another value than any that the column has."""
    match field.target_field if isinstance(field, models.ForeignKey) else field:
        case models.UUIDField():
            return Value(UUID(int=1))
        case models.BooleanField():
            return ~F(field.name)
        case models.DateTimeField():
            return Value(datetime(2000, 1, 1, tzinfo=UTC))
        case models.IntegerField():
            return Value(7777)
        case models.JSONField():
            return Value(["x"], models.JSONField())
        case _:
            return Value("x")


def everything(run):
    return runtime.rows(run), approvals.rows(run)


@pytest.mark.usefixtures("_unguarded")
def test_every_column_of_every_projected_row_is_named_and_written_anew(run):
    before, wrong = everything(run), set()
    for model, state in PROJECTED.items():
        columns = {each.attname: each for each in model._meta.concrete_fields}  # noqa: SLF001
        names = [field.name for field in fields(state)]
        for name in [each for each in names if model is not Vote or each not in KEYS]:
            column = columns.get(name) or columns[f"{name}_id"]
            model.objects.update(**{column.name: altered(column)})
            wrong.add((KINDS.get(model, model.__name__.lower()), name))
    repaired()
    damaged = everything(run)

    named, _ = said_by("rebuild_projections", "--check")
    said_by("rebuild_projections")

    words = [line.split(" is ")[0].split() for line in named]
    assert {(kind, name) for kind, *_, name in words} == wrong
    assert damaged != before
    assert everything(run) == before
    assert said_by("rebuild_projections", "--check") == ([], None)


@pytest.mark.usefixtures("_unguarded")
def test_of_a_run_all_of_whose_rows_are_gone_but_its_own_everything_comes_back(run):
    before = everything(run)
    gone = {model: model.objects.count() for model in reversed(PROJECTED) if model is not Run}
    for model in gone:
        model.objects.all()._raw_delete("default")  # noqa: SLF001
    repaired()

    named, _ = said_by("rebuild_projections", "--check")
    lines, error = said_by("rebuild_projections")

    assert (len(named), lines, error) == (sum(gone.values()), named, None)
    assert all(line.endswith(": no row") for line in named)
    assert everything(run) == before
    assert said_by("rebuild_projections", "--check") == ([], None)
