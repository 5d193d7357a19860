from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from approvals.models import AccessToken, Membership, WorkspaceChange
from runtime.models import Person, Run
from tests.console.api.client import Program
from tests.console.api.requests import recorded, run_body


def make(here, name="agent", /, **changes):
    body = {"user": here.person(name).username, "scopes": ["read"]}
    return here.admin.post("/tokens", {**body, **changes})


def tokens(admin):
    return {token["id"]: token for token in admin.get("/tokens").json()["items"]}


def test_a_token_is_shown_once_and_works_at_once(here):
    made = make(here, scopes=["propose"])

    assert made.status_code == 201
    secret = made.json()["token"]
    assert Program(secret).post("/runs", run_body()).status_code == 201
    assert secret not in here.admin.get("/tokens").content.decode()
    assert str(Run.objects.get().token) == made.json()["id"]


def test_a_token_in_the_list_says_whose_it_is_and_when_it_was_last_used(here):
    expires = datetime.now(UTC) + timedelta(days=1)
    made = make(here, "support", expires=expires.isoformat()).json()
    unused = tokens(here.admin)[made["id"]]

    Program(made["token"]).get("/runs")

    assert unused == {
        "id": made["id"],
        "user": here.person("support").username,
        "scopes": ["read"],
        "created_by": "here-admin",
        "created_at": unused["created_at"],
        "expires_at": expires.isoformat().replace("+00:00", "Z"),
        "last_used_at": None,
        "revoked_at": None,
    }
    assert tokens(here.admin)[made["id"]]["last_used_at"] is not None


def test_a_revoked_token_is_nobodys_from_then_on(here):
    made = make(here).json()

    answers = [here.admin.delete(f"/tokens/{made['id']}").status_code for _ in range(2)]

    assert answers == [204, 204]
    assert Program(made["token"]).get("/runs").status_code == 401
    assert tokens(here.admin)[made["id"]]["revoked_at"] is not None


def test_a_token_past_its_time_is_nobodys(here):
    secret = here.token("reviewer", expires_at=datetime.now(UTC) - timedelta(seconds=1))

    assert Program(secret).get("/runs").status_code == 401


def test_the_tokens_of_an_inactive_member_or_account_are_nobodys(here):
    programs = [here.reviewer, here.support]
    here.person("reviewer").memberships.update(active=False)
    Person.objects.filter(pk=here.person("support").pk).update(is_active=False)

    assert [program.get("/runs").status_code for program in programs] == [401, 401]


def test_a_persons_token_ends_with_the_membership_of_whoever_made_it(here):
    of_person = make(here, "support").json()["token"]
    of_agent = make(here, "agent").json()["token"]

    Membership.objects.filter(person=here.person("admin")).update(active=False)

    assert Program(of_person).get("/runs").status_code == 401
    assert Program(of_agent).get("/runs").status_code == 200


def test_a_token_is_worth_what_its_members_role_is_now(here):
    program = here.admin
    assert program.get("/tokens").status_code == 200

    here.person("admin").memberships.update(role="support")

    assert program.get("/runs").status_code == 200
    assert program.get("/tokens").json()["code"] == "not_authorized"


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"user": ""}, "user"),
        ({"scopes": []}, "scopes"),
        ({"scopes": ["read", "root"]}, "scopes.1"),
        ({"scopes": "read"}, "scopes"),
        ({"scopes": ["decide"]}, "scopes"),
        ({"scopes": ["read"] * 5}, "scopes"),
        ({"expires": "tomorrow"}, "expires"),
        ({"expires": "2999-01-01T00:00:00"}, "expires"),
        ({"expires": "2020-01-01T00:00:00Z"}, "expires"),
        ({"expires": "9999-12-31T23:59:59-14:00"}, "expires"),
        ({"expires": "0001-01-01T00:00:00+14:00"}, "expires"),
        ({"name": "mine"}, "name"),
    ],
)
def test_a_token_with_a_bad_field_is_not_made(here, changes, field):
    before = recorded()

    answer = make(here, **changes)

    assert answer.status_code == 422
    assert [error["field"] for error in answer.json()["errors"]] == [field]
    assert recorded() == before


def test_a_token_is_made_for_members_of_this_workspace_alone(here, elsewhere):
    stranger = elsewhere.person("agent").username
    before = recorded()

    answers = [
        here.admin.post("/tokens", {"user": user, "scopes": ["read"]})
        for user in (stranger, "nobody-here")
    ]

    assert answers[0].status_code == 422
    assert answers[0].content == answers[1].content
    assert recorded() == before


def test_secrets_are_kept_only_as_hashes(here):
    secret = make(here).json()["token"]

    kept = [value for row in AccessToken.objects.values_list() for value in row]

    assert not any(secret in str(value) for value in kept)


def test_who_made_and_who_revoked_a_token_is_on_record_without_its_secret(here):
    made = make(here, scopes=["propose"]).json()
    for _ in range(2):
        here.admin.delete(f"/tokens/{made['id']}")

    changes = WorkspaceChange.objects.filter(subject=made["id"]).order_by("pk")
    admin = here.person("admin").pk
    terms = {
        "person": str(here.person("agent").pk),
        "creator": str(admin),
        "scopes": ["propose", "read"],
        "expires_at": None,
    }
    assert list(changes.values_list("kind", "actor", "before", "after")) == [
        ("token.issued", f"person:{admin}", None, terms),
        ("token.revoked", f"person:{admin}", terms, None),
    ]


def test_a_token_that_somebody_else_made_makes_no_further_ones(here):
    body = {"user": here.person("admin2").username, "scopes": ["admin"]}
    borrowed = Program(here.admin.post("/tokens", body).json()["token"])
    before = recorded()

    answer = borrowed.post("/tokens", body)

    assert (answer.status_code, answer.json()["code"]) == (403, "conflict_of_interest")
    assert recorded() == before
    assert here.admin2.post("/tokens", body).status_code == 201
