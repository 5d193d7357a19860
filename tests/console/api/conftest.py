from __future__ import annotations

from typing import Any

import pytest

from approvals.access import SCOPES_OF, issue_token
from approvals.models import Membership
from approvals.setup import add_member, add_starter_rules, create_workspace
from approvals.states import Role
from runtime.models import Person
from tests.console.api.client import Program
from tests.console.api.requests import propose, start

ROLES = {
    "admin": Role.ADMIN,
    "admin2": Role.ADMIN,
    "reviewer": Role.REVIEWER,
    "reviewer2": Role.REVIEWER,
    "support": Role.SUPPORT,
    "agent": Role.AGENT,
    "agent2": Role.AGENT,
}


class Place:
    """A workspace. `place.reviewer` is a program with every scope its member's role can use.

    Those whom nearly every test needs are there from the start.
    """

    def __init__(self, slug: str) -> None:
        self.slug = slug
        self.workspace = create_workspace(slug, slug.title())
        self.people: dict[str, Person] = {}
        add_starter_rules(self.workspace, author=self.person("admin"))
        self.admin, self.agent, self.reviewer = map(self._program, ["admin", "agent", "reviewer"])

    def __getattr__(self, name: str) -> Program:
        program = self._program(name)
        setattr(self, name, program)
        return program

    def _program(self, name: str) -> Program:
        return Program(self.token(name))

    def person(self, name: str) -> Person:
        """The member called `<slug>-<name>`, who joins when first asked for."""
        if name not in self.people:
            more: dict[str, Any] = {}
            if ROLES[name] is Role.AGENT:
                more["owner"] = self.person("admin")
            if ROLES[name] is Role.REVIEWER:
                more["groups"] = ["reviewers"]
            member = add_member(self.workspace, f"{self.slug}-{name}", ROLES[name], **more)
            self.people[name] = member.person
        return self.people[name]

    def membership(self, name: str) -> Membership:
        return Membership.objects.get(workspace=self.workspace, person=self.person(name))

    def token(self, name: str, *scopes: str, **more: Any) -> str:
        role = Role(self.membership(name).role)
        _, secret = issue_token(
            self.workspace,
            self.person(name),
            # Whoever made a token counts as acting through it: each person makes their own.
            creator=self.person("admin" if role is Role.AGENT else name),
            scopes=scopes or SCOPES_OF[role],
            **more,
        )
        return secret


@pytest.fixture
def here(db) -> Place:
    return Place("here")


@pytest.fixture
def elsewhere(db) -> Place:
    return Place("elsewhere")


@pytest.fixture
def approval(here):
    call = propose(here.agent, start(here.agent))
    return here.reviewer.get(f"/approvals/{call['approval']}").json()
