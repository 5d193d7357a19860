from __future__ import annotations

from datetime import timedelta

import pytest

from approvals.access import (
    SCOPES_OF,
    Bearer,
    Scope,
    bearer_of,
    issue_token,
    membership_of,
    revoke_token,
)
from approvals.errors import NotPossibleError
from approvals.models import AccessToken, Membership
from approvals.states import Role
from runtime.commands import Actor
from runtime.event_log import database_now
from runtime.models import Person
from tests.factories import make_world


def issue(world, name, scopes, **changes):
    person, creator = world.people[name], world.people["admin"]
    return issue_token(world.workspace, person, creator=creator, scopes=scopes, **changes)


def test_a_token_speaks_for_its_person_in_its_workspace(world):
    token, secret = issue(world, "reviewer", ["decide"])

    person = world.people["reviewer"]
    actor = Actor(workspace=world.workspace, person=person, surface="api", token=token.pk)
    assert bearer_of(secret) == Bearer(
        actor=actor, role=Role.REVIEWER, scopes=frozenset({Scope.READ, Scope.DECIDE})
    )


def test_the_secret_is_kept_nowhere(world):
    _, secret = issue(world, "reviewer", ["decide"])

    assert secret.startswith("cst_")
    assert len(secret) > 40
    stored = [str(value) for row in AccessToken.objects.values() for value in row.values()]
    assert not any(secret in value or secret[4:] in value for value in stored)


@pytest.mark.parametrize(
    ("name", "scope"),
    [
        ("support", "decide"),
        ("support", "admin"),
        ("reviewer", "admin"),
        ("reviewer", "propose"),
        ("admin", "propose"),
        ("agent", "decide"),
        ("agent", "admin"),
        ("reviewer", "everything"),
    ],
)
def test_a_scope_the_role_cannot_use_is_refused(world, name, scope):
    before = AccessToken.objects.count()

    with pytest.raises(NotPossibleError):
        issue(world, name, ["read", scope])

    assert AccessToken.objects.count() == before


def test_a_token_without_a_scope_is_refused(world):
    with pytest.raises(NotPossibleError):
        issue(world, "reviewer", [])


def test_a_stranger_gets_no_token(world):
    world.people["stranger"] = Person.objects.create_user("stranger")

    with pytest.raises(NotPossibleError):
        issue(world, "stranger", ["read"])


@pytest.mark.parametrize("secret", ["", "cst_", "cst_guess"])
def test_what_is_no_token_speaks_for_nobody(world, secret):
    assert bearer_of(secret) is None


def _revoke(token):
    revoke_token(token)


def _let_expire(token):
    AccessToken.objects.filter(pk=token.pk).update(expires_at=database_now())


def _deactivate_member(token):
    Membership.objects.filter(person=token.person).update(active=False)


def _deactivate_account(token):
    Person.objects.filter(pk=token.person_id).update(is_active=False)


@pytest.mark.parametrize("end", [_revoke, _let_expire, _deactivate_member, _deactivate_account])
def test_a_token_ends(world, end):
    token, secret = issue(world, "reviewer", ["decide"])
    end(token)

    assert bearer_of(secret) is None


def test_a_token_is_good_until_it_expires(world):
    expires_at = database_now() + timedelta(minutes=1)
    _, secret = issue(world, "reviewer", ["decide"], expires_at=expires_at)

    assert bearer_of(secret) is not None


def test_a_token_can_do_no_more_than_the_role_its_person_has_now(world):
    _, secret = issue(world, "admin", ["decide", "admin"])
    world.people["admin"].memberships.update(role=Role.SUPPORT)

    found = bearer_of(secret)

    assert found
    assert (found.role, found.scopes) == (Role.SUPPORT, frozenset({Scope.READ}))


def test_revoking_twice_keeps_the_first_time(world):
    token, _ = issue(world, "reviewer", ["decide"])
    revoke_token(token)
    token.refresh_from_db()
    first = token.revoked_at

    revoke_token(token)

    token.refresh_from_db()
    assert token.revoked_at == first


@pytest.mark.parametrize(("age_s", "is_noted"), [(59, False), (61, True)])
def test_the_last_use_is_noted_to_the_minute(world, age_s, is_noted):
    token, secret = issue(world, "reviewer", ["decide"])
    before = database_now() - timedelta(seconds=age_s)
    AccessToken.objects.filter(pk=token.pk).update(last_used_at=before)

    bearer_of(secret)

    token.refresh_from_db()
    assert (token.last_used_at != before) is is_noted


def test_the_first_use_is_noted(world):
    token, secret = issue(world, "reviewer", ["decide"])

    bearer_of(secret)

    token.refresh_from_db()
    assert token.last_used_at is not None


def test_every_role_may_read():
    assert {role for role in Role if Scope.READ in SCOPES_OF[role]} == set(Role)


def test_a_membership_holds_in_its_workspace_alone(world):
    elsewhere = make_world("elsewhere")

    assert membership_of(world.people["reviewer"], elsewhere.workspace) is None
