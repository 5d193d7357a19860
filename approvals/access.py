"""Who comes through which door: memberships, and bearer tokens kept only as a hash."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, Final
from uuid import UUID

from django.db import transaction

from approvals.changes import record_change
from approvals.errors import NotPossibleError
from approvals.models import AccessToken, Membership
from approvals.states import ChangeKind, Role
from runtime.commands import Actor
from runtime.event_log import database_now
from runtime.models import Person, Workspace

PREFIX: Final = "cst_"
# A token's last use is worth knowing to the minute, not a write on every request.
USE_NOTED_EVERY: Final = timedelta(minutes=1)
LONGEST_LIFE: Final = timedelta(days=36_500)


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


def hands_of(actor: Actor) -> frozenset[UUID]:
    """Who acts: a person, and whoever made the token they come with, who may hold it too."""
    return makers_of(actor.token) | {actor.person.pk}


def makers_of(token: UUID | None) -> frozenset[UUID]:
    tokens = AccessToken.objects.filter(pk__in=[token] if token else [])
    return frozenset(tokens.values_list("creator_id", flat=True))


def expiry_flaw(expires_at: datetime | None) -> str | None:
    now = database_now()
    if expires_at is None or now < expires_at < now + LONGEST_LIFE:
        return None
    return "A moment within the next hundred years."


@transaction.atomic
def issue_token(
    workspace: Workspace,
    person: Person,
    *,
    creator: Person,
    scopes: Collection[str],
    expires_at: datetime | None = None,
    by: Actor | None = None,
) -> tuple[AccessToken, str]:
    """Make a token; the secret is answered this once and stored nowhere.

    Raises NotPossibleError for a stranger or for a scope the member's role cannot use.
    """
    membership = membership_of(person, workspace)
    if membership is None:
        detail = f"{person} is not an active member of {workspace}."
        raise NotPossibleError(detail, field="user")
    usable = SCOPES_OF[Role(membership.role)]
    if not scopes or not usable.issuperset(scopes):
        names = ", ".join(sorted(usable))
        detail = f"A token of {membership.role} {person} may have: {names}."
        raise NotPossibleError(detail, field="scopes")
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
    record_change(workspace, ChangeKind.TOKEN_ISSUED, str(token.pk), by=by, after=_terms(token))
    return token, secret


@transaction.atomic
def revoke_token(token: AccessToken, *, by: Actor | None = None) -> None:
    """Make the token nobody's; once it is, doing so again changes nothing."""
    standing = AccessToken.objects.filter(pk=token.pk, revoked_at=None)
    if standing.update(revoked_at=database_now()):
        terms = _terms(token)
        record_change(token.workspace, ChangeKind.TOKEN_REVOKED, str(token.pk), by=by, before=terms)


def bearer_of(secret: str) -> Bearer | None:
    """Answer who a bearer token speaks for and what its role still lets it do."""
    token = (
        AccessToken.objects.select_related("workspace", "person", "creator")
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
    if role is not Role.AGENT and not _has_maker(token):
        return None
    _note_use(token, now)
    scopes = SCOPES_OF[role].intersection(map(Scope, token.scopes))
    return Bearer(actor=actor, role=role, scopes=scopes)


def _has_maker(token: AccessToken) -> bool:
    """Whoever made a token for somebody may hold it too, and has to belong here still."""
    if token.creator_id == token.person_id:
        return True
    return membership_of(token.creator, token.workspace) is not None


def _terms(token: AccessToken) -> dict[str, Any]:
    return {
        "person": str(token.person_id),
        "creator": str(token.creator_id),
        "scopes": token.scopes,
        "expires_at": token.expires_at.isoformat() if token.expires_at else None,
    }


def _note_use(token: AccessToken, now: datetime) -> None:
    if token.last_used_at is None or now - token.last_used_at >= USE_NOTED_EVERY:
        AccessToken.objects.filter(pk=token.pk).update(last_used_at=now)


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
