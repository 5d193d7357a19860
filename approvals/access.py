"""Who comes through which door: memberships, and bearer tokens kept only as a hash."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from approvals.errors import NotPossibleError
from approvals.models import AccessToken, Membership
from approvals.states import Role
from runtime.commands import Actor
from runtime.event_log import database_now
from runtime.models import Person, Workspace

PREFIX: Final = "cst_"
# A token's last use is worth knowing to the minute, not a write on every request.
USE_NOTED_EVERY: Final = timedelta(minutes=1)


class Scope(StrEnum):
    READ = "read"
    PROPOSE = "propose"
    DECIDE = "decide"
    ADMIN = "admin"


SCOPES_OF: Final[Mapping[Role, frozenset[Scope]]] = {
    Role.SUPPORT: frozenset({Scope.READ}),
    Role.REVIEWER: frozenset({Scope.READ, Scope.DECIDE}),
    Role.ADMIN: frozenset({Scope.READ, Scope.DECIDE, Scope.ADMIN}),
    Role.AGENT: frozenset({Scope.READ, Scope.PROPOSE}),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Bearer:
    """Who a token speaks for, as the role they have now, and what it lets them do."""

    actor: Actor
    role: Role
    scopes: frozenset[Scope]


def membership_of(person: Person, workspace: Workspace) -> Membership | None:
    """Answer the membership, if it and the account are active: nothing else gives a role."""
    return Membership.objects.filter(
        person=person, workspace=workspace, active=True, person__is_active=True
    ).first()


def role_of(actor: Actor) -> Role | None:
    membership = membership_of(actor.person, actor.workspace)
    return Role(membership.role) if membership else None


def issue_token(
    workspace: Workspace,
    person: Person,
    *,
    creator: Person,
    scopes: Collection[str],
    expires_at: datetime | None = None,
) -> tuple[AccessToken, str]:
    """Make a token; the secret is answered this once and stored nowhere.

    Raises NotPossibleError for a stranger or for a scope the member's role cannot use.
    """
    membership = membership_of(person, workspace)
    if membership is None:
        raise NotPossibleError(f"{person} is not an active member of {workspace}.")
    usable = SCOPES_OF[Role(membership.role)]
    if not scopes or not usable.issuperset(scopes):
        names = ", ".join(sorted(usable))
        raise NotPossibleError(f"A token of {membership.role} {person} may have: {names}.")
    secret = PREFIX + secrets.token_urlsafe(32)
    token = AccessToken.objects.create(
        workspace=workspace,
        person=person,
        creator=creator,
        secret_hash=_hash(secret),
        scopes=sorted({Scope.READ, *scopes}),
        created_at=database_now(),
        expires_at=expires_at,
    )
    return token, secret


def revoke_token(token: AccessToken) -> None:
    AccessToken.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=database_now())


def bearer_of(secret: str) -> Bearer | None:
    """Answer who a bearer token speaks for and what its role still lets it do."""
    token = (
        AccessToken.objects.select_related("workspace", "person")
        .filter(secret_hash=_hash(secret), revoked_at=None)
        .first()
    )
    if token is None:
        return None
    now = database_now()
    actor = Actor(workspace=token.workspace, person=token.person, surface="api", token=token.pk)
    role = role_of(actor)
    if role is None or (token.expires_at is not None and now >= token.expires_at):
        return None
    _note_use(token, now)
    scopes = SCOPES_OF[role].intersection(map(Scope, token.scopes))
    return Bearer(actor=actor, role=role, scopes=scopes)


def _note_use(token: AccessToken, now: datetime) -> None:
    if token.last_used_at is None or now - token.last_used_at >= USE_NOTED_EVERY:
        AccessToken.objects.filter(pk=token.pk).update(last_used_at=now)


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
