from __future__ import annotations

import pytest
from django.db import DatabaseError, connection, transaction

from approvals.changes import record_change
from approvals.errors import NotPossibleError
from approvals.models import WorkspaceChange
from approvals.setup import add_member
from approvals.states import ChangeKind, Role


def test_what_the_operator_sets_up_is_on_record_as_theirs(world):
    changes = WorkspaceChange.objects.filter(workspace=world.workspace)

    assert set(changes.values_list("actor", "surface", "token")) == {
        ("operator", "command line", None)
    }
    agent = changes.get(kind="member.added", subject=str(world.people["agent"].pk))
    owner = str(world.people["admin"].pk)
    assert agent.after == {"role": "agent", "owner": owner, "groups": [], "active": True}


def test_what_a_member_changes_names_them_and_their_token_by_id(world):
    actor = world.actor("agent")

    change = record_change(world.workspace, ChangeKind.AUTHORITY_SET, "a b USD", by=actor)

    assert (change.actor, change.surface, change.token) == (
        f"person:{actor.person.pk}",
        "api",
        world.token.pk,
    )


def test_no_name_of_a_person_enters_the_record(world):
    add_member(world.workspace, "gwendolyn", Role.SUPPORT)

    kept = str(list(WorkspaceChange.objects.values_list()))

    assert "gwendolyn" not in kept


def test_what_is_not_done_is_not_on_record(world):
    before = WorkspaceChange.objects.count()

    with pytest.raises(NotPossibleError):
        add_member(world.workspace, "new", Role.REVIEWER, groups=["nobodys"])

    assert WorkspaceChange.objects.count() == before


@pytest.mark.parametrize("mode", ["origin", "replica"])
@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE approvals_workspacechange SET actor = 'somebody else'",
        "DELETE FROM approvals_workspacechange",
    ],
)
def test_the_record_is_added_to_and_never_edited(world, sql, mode):
    before = list(WorkspaceChange.objects.order_by("pk").values())

    in_mode = f"SET LOCAL session_replication_role = {mode}; {sql}"
    with (
        pytest.raises(DatabaseError, match="append-only"),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute(in_mode)

    assert list(WorkspaceChange.objects.order_by("pk").values()) == before
