"""What the operator types: whole or not at all, refused in one line, on record as theirs."""

from __future__ import annotations

import io
import sys
from datetime import UTC, datetime, timedelta

import pytest
from django.core.management import CommandError
from django.db import connection

from approvals.access import bearer_of
from approvals.models import (
    AccessToken,
    Authority,
    LimitGroup,
    Membership,
    PolicyVersion,
    WorkspaceChange,
)
from approvals.rules import activate_policy
from console.management.commands import add_member as adding
from runtime.models import Person, Workspace
from tests.console.commands import run_command

RECORDS = (
    AccessToken, Authority, LimitGroup, Membership, Person, PolicyVersion, Workspace,
    WorkspaceChange,
)  # fmt: skip
GOOD = "correct horse battery"


def add(name, role, *options):
    return run_command(
        "add_member", "--workspace", "acme", "--user", name, "--role", role, *options
    )


def token(name, scope, *options):
    return run_command(
        "create_token", "--workspace", "acme", "--user", name, "--scope", scope, *options
    )


def counts():
    return {model.__name__: model.objects.count() for model in RECORDS}


@pytest.fixture(autouse=True)
def nobody_to_ask(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    monkeypatch.delenv(adding.PASSWORD, raising=False)


@pytest.fixture
def acme(db) -> Workspace:
    run_command(
        "create_workspace", "--slug", "acme", "--name", "Acme", "--time-zone", "Europe/Berlin"
    )
    add("ana", "admin")
    add("refund-desk", "agent", "--owner", "ana")
    return Workspace.objects.get(slug="acme")


@pytest.mark.django_db
def test_a_new_workspace_has_limits_and_a_policy_that_waits_for_an_admin():
    said = run_command(
        "create_workspace", "--slug", "acme", "--name", "Acme", "--time-zone", "Asia/Tokyo"
    )

    workspace = Workspace.objects.get()
    assert (workspace.slug, workspace.name, workspace.time_zone) == ("acme", "Acme", "Asia/Tokyo")
    version = PolicyVersion.objects.get()
    assert (version.name, version.version, version.author) == ("refunds", 1, None)
    assert (version.activated_at, version.withdrawn_at) == (None, None)
    assert Authority.objects.filter(group__workspace=workspace).count() == 6
    assert said[-1] == "Policy refunds version 1 waits for an admin of acme to activate it."


def test_everything_typed_is_on_record_as_the_operators(acme):
    token("refund-desk", "propose")
    activate_policy(PolicyVersion.objects.get())

    rows = WorkspaceChange.objects.values_list("kind", flat=True).distinct()
    assert sorted(rows) == [
        "authority.set",
        "member.added",
        "policy.activated",
        "policy.written",
        "token.issued",
        "workspace.created",
    ]
    assert set(WorkspaceChange.objects.values_list("actor", "surface")) == {
        ("operator", "command line")
    }


def test_a_password_comes_from_the_environment(acme, monkeypatch):
    monkeypatch.setenv(adding.PASSWORD, GOOD)

    said = add("ben", "reviewer", "--group", "reviewers")

    assert said == ["ben is now reviewer of acme."]
    assert Person.objects.get(username="ben").check_password(GOOD)
    groups = Membership.objects.get(person__username="ben").groups
    assert list(groups.values_list("name", flat=True)) == ["reviewers"]


def test_a_password_comes_from_the_first_line_of_standard_input(acme, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO(f"{GOOD}\nmore\n"))

    add("ben", "reviewer", "--password-stdin")

    assert Person.objects.get(username="ben").check_password(GOOD)


def terminal(monkeypatch, *typed):
    answers = iter(typed)
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(adding, "getpass", lambda _prompt: next(answers))


def test_a_password_is_asked_for_twice_at_a_terminal(acme, monkeypatch):
    terminal(monkeypatch, GOOD, GOOD)

    add("ben", "reviewer")

    assert Person.objects.get(username="ben").check_password(GOOD)


def test_two_passwords_that_differ_make_nobody(acme, monkeypatch):
    terminal(monkeypatch, GOOD, "another horse")
    before = counts()

    with pytest.raises(CommandError, match="not the same"):
        add("ben", "reviewer")
    assert counts() == before


def test_where_nobody_can_be_asked_a_person_has_no_password_yet(acme):
    said = add("ben", "reviewer")

    assert said[1] == "No password: manage.py changepassword ben sets one."
    assert not Person.objects.get(username="ben").has_usable_password()


def test_a_bad_password_is_no_password_and_makes_nobody(acme, monkeypatch):
    monkeypatch.setenv(adding.PASSWORD, "1234")
    before = counts()

    with pytest.raises(CommandError, match="too short") as refused:
        add("ben", "reviewer")
    assert "\n" not in str(refused.value)
    assert counts() == before


def test_an_account_in_two_workspaces_keeps_its_password(acme, monkeypatch):
    monkeypatch.setenv(adding.PASSWORD, GOOD)
    add("ben", "reviewer")
    run_command("create_workspace", "--slug", "second", "--name", "Second")
    monkeypatch.setenv(adding.PASSWORD, "another horse battery")

    run_command("add_member", "--workspace", "second", "--user", "ben", "--role", "admin")

    assert Person.objects.get(username="ben").check_password(GOOD)


@pytest.mark.parametrize(
    ("command", "options", "says"),
    [
        ("create_workspace", ["--slug", "acme", "--name", "A"], "There is a workspace acme alr"),
        ("create_workspace", ["--slug", "two words", "--name", "A"], "slug: "),
        ("create_workspace", ["--slug", "s" * 61, "--name", "A"], "slug: "),
        ("create_workspace", ["--slug", "b", "--name", ""], "name: "),
        ("create_workspace", ["--slug", "b", "--name", "B", "--time-zone", "Mars"], "no time zone"),
        ("add_member", ["--user", "ana", "--role", "support"], "ana is a member of acme already"),
        ("add_member", ["--user", "ben", "--role", "boss"], "no role boss"),
        ("add_member", ["--user", "b b", "--role", "support"], "username: "),
        ("add_member", ["--user", "ben", "--role", "reviewer", "--group", "x"], "no group x"),
        ("add_member", ["--user", "a2", "--role", "agent"], "names its owner"),
        ("add_member", ["--user", "a2", "--role", "agent", "--owner", "zoe"], "no active member"),
        ("add_member", ["--user", "a2", "--role", "agent", "--owner", "refund-desk"], "a person"),
        ("add_member", ["--user", "ben", "--role", "admin", "--owner", "ana"], "nobody else"),
        ("create_token", ["--user", "zoe", "--scope", "read"], "no active member zoe"),
        ("create_token", ["--user", "ana", "--scope", "propose"], "may have: admin, decide, read"),
        ("create_token", ["--user", "ana", "--scope", "root"], "may have"),
        ("create_token", ["--user", "ana", "--scope", "read", "--by", "zoe"], "no active member"),
        ("create_token", ["--user", "ana", "--scope", "read", "--by", "refund-desk"], "A person"),
        ("create_token", ["--user", "ana", "--scope", "read", "--expires", "soon"], "neither"),
        ("create_token", ["--user", "ana", "--scope", "read", "--expires", "2020-01-01"], "within"),
        (
            "create_token",
            ["--user", "ana", "--scope", "read", "--expires", "2099-01-01T10:00"],
            "offset",
        ),
    ],
)
def test_what_cannot_be_done_is_told_in_one_line_and_writes_nothing(acme, command, options, says):
    place = [] if command == "create_workspace" else ["--workspace", "acme"]
    before = counts()

    with pytest.raises(CommandError, match=says) as refused:
        run_command(command, *place, *options)

    assert "\n" not in str(refused.value)
    assert refused.value.returncode == 1
    assert counts() == before


@pytest.mark.parametrize("command", ["add_member", "create_token"])
@pytest.mark.django_db
def test_an_unknown_workspace_is_named(command):
    needs = {"add_member": ["--role", "admin"], "create_token": ["--scope", "read"]}[command]

    with pytest.raises(CommandError, match=r"^There is no workspace nowhere\.$"):
        run_command(command, "--workspace", "nowhere", "--user", "ana", *needs)
    assert not Person.objects.exists()


@pytest.mark.django_db
def test_a_database_without_tables_is_told_what_it_needs():
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE runtime_workspace RENAME TO elsewhere")

    with pytest.raises(CommandError, match=r"run manage\.py migrate\.$"):
        run_command("create_workspace", "--slug", "acme", "--name", "Acme")


def test_the_token_is_the_last_line_and_speaks_for_its_user(acme):
    *_, secret = token("refund-desk", "propose", "--by", "ana", "--expires", "2099-12-31")

    bearer = bearer_of(secret)
    assert bearer is not None
    assert bearer.actor.person.username == "refund-desk"
    assert sorted(bearer.scopes) == ["propose", "read"]
    row = AccessToken.objects.get()
    assert row.creator.username == "ana"
    assert row.expires_at == datetime(2099, 12, 31, tzinfo=UTC)


def test_a_time_keeps_its_offset_as_utc(acme):
    token("ana", "read", "--expires", "2099-12-31T23:00:00+09:00")

    assert AccessToken.objects.get().expires_at == datetime(2099, 12, 31, 14, tzinfo=UTC)


@pytest.mark.parametrize(("user", "maker"), [("refund-desk", "ana"), ("ana", "ana")])
def test_without_a_maker_it_is_the_owner_or_the_user(acme, user, maker):
    token(user, "read")

    made = AccessToken.objects.get()
    assert (made.creator.username, made.expires_at) == (maker, None)
    assert datetime.now(UTC) - made.created_at < timedelta(minutes=1)
