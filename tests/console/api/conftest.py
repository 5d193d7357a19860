from __future__ import annotations

from types import SimpleNamespace

import pytest

from approvals.access import SCOPES_OF, issue_token
from approvals.setup import add_member, add_starter_rules, create_workspace
from approvals.states import Role
from runtime.models import Person
from tests.console.api.client import Program


def populated(slug: str) -> SimpleNamespace:
    """A workspace, and a program for each of its members with every scope its role can use."""
    workspace = create_workspace(slug, slug.title())
    admin = add_member(workspace, f"{slug}-admin", Role.ADMIN).person
    people = {
        "admin": admin,
        "admin2": add_member(workspace, f"{slug}-admin2", Role.ADMIN).person,
        "reviewer": _member(workspace, "reviewer", Role.REVIEWER, groups=["reviewers"]),
        "reviewer2": _member(workspace, "reviewer2", Role.REVIEWER, groups=["reviewers"]),
        "support": _member(workspace, "support", Role.SUPPORT),
        "agent": _member(workspace, "agent", Role.AGENT, owner=admin),
        "agent2": _member(workspace, "agent2", Role.AGENT, owner=admin),
    }
    add_starter_rules(workspace, author=admin)
    there = SimpleNamespace(workspace=workspace, people=people)
    for name, person in people.items():
        setattr(there, name, Program(token_for(there, name)))
        assert isinstance(person, Person)
    return there


def token_for(there: SimpleNamespace, name: str, *scopes: str, **more) -> str:
    person = there.people[name]
    role = Role(person.memberships.get(workspace=there.workspace).role)
    _, secret = issue_token(
        there.workspace,
        person,
        creator=there.people["admin"],
        scopes=scopes or SCOPES_OF[role],
        **more,
    )
    return secret


def _member(workspace, name, role, **more) -> Person:
    return add_member(workspace, f"{workspace.slug}-{name}", role, **more).person


@pytest.fixture
def here(db) -> SimpleNamespace:
    return populated("here")


@pytest.fixture
def elsewhere(db) -> SimpleNamespace:
    """Another workspace, with the same kinds of people."""
    return populated("elsewhere")
