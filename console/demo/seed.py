"""The demo's workspace: who is in it, what they may decide, and where its provider is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from django.contrib.auth.hashers import make_password
from django.db import transaction

from approvals.access import SCOPES_OF, bearer_of, issue_token
from approvals.models import Membership
from approvals.setup import add_member, add_starter_rules, create_workspace
from approvals.starter import REVIEWERS, SENIORS
from approvals.states import Role
from console.demo.credentials import ACCOUNT, Credentials
from runtime.data_keys import seal
from runtime.models import Person, ProviderAccount, Workspace

SLUG: Final = "demo"
PASSWORD: Final = "demo"  # noqa: S105 - of people who exist in the demo's own database only
ADMIN: Final = "admin"
AGENT: Final = "agent"
# Beside the admin who wrote the policy: name, role, limit groups.
PEOPLE: Final[tuple[tuple[str, Role, tuple[str, ...]], ...]] = (
    ("reviewer", Role.REVIEWER, (REVIEWERS,)),
    ("reviewer2", Role.REVIEWER, (REVIEWERS,)),
    ("senior", Role.REVIEWER, (SENIORS,)),
    ("support", Role.SUPPORT, ()),
    ("admin2", Role.ADMIN, ()),
)


@transaction.atomic
def seed(tokens: Mapping[str, str], *, sandbox_url: str, keys: Credentials) -> dict[str, str]:
    """Make what is missing, once, and answer everybody's token: the given one if it still works.

    What people changed since stays as they left it.
    """
    workspace = Workspace.objects.filter(slug=SLUG).first() or _make_workspace()
    account = {
        "label": "sandbox",
        "api_base": sandbox_url,
        "secret": seal(keys.api_key),
        "webhook_secret": seal(keys.webhook_secret),
    }
    ProviderAccount.objects.update_or_create(
        workspace=workspace,
        provider="stripe",
        defaults=account,
        create_defaults={"id": ACCOUNT, **account},
    )
    members = Membership.objects.filter(workspace=workspace, active=True).select_related("person")
    return dict(tokens) | {
        member.person.username: _issue(member)
        for member in members.order_by("pk")
        if not _works(tokens.get(member.person.username))
    }


def _make_workspace() -> Workspace:
    workspace = create_workspace(SLUG, "Countersign demo")
    admin = add_member(workspace, ADMIN, Role.ADMIN).person
    add_starter_rules(workspace, author=admin)
    for name, role, groups in PEOPLE:
        add_member(workspace, name, role, groups=groups)
    Person.objects.filter(memberships__workspace=workspace).update(password=make_password(PASSWORD))
    add_member(workspace, AGENT, Role.AGENT, owner=admin)
    return workspace


def _works(token: str | None) -> bool:
    return token is not None and bearer_of(token) is not None


def _issue(member: Membership) -> str:
    creator = member.owner or member.person
    scopes = SCOPES_OF[Role(member.role)]
    _, secret = issue_token(member.workspace, member.person, creator=creator, scopes=scopes)
    return secret
