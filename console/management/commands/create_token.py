"""Make a token for a member; the last line of output is the token, shown this once."""

from __future__ import annotations

from datetime import datetime

from django.core.management.base import BaseCommand, CommandParser

from approvals.access import expiry_flaw, issue_token
from approvals.errors import NotPossibleError
from approvals.models import Membership
from approvals.states import Role
from console.management.operator import (
    member_named,
    moment_named,
    plain_refusals,
    workspace_named,
)
from runtime.models import Person


class Command(BaseCommand):
    help = __doc__ or ""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--workspace", required=True, metavar="SLUG")
        parser.add_argument("--user", required=True, metavar="NAME")
        parser.add_argument("--scope", required=True, action="append")
        parser.add_argument("--by", metavar="NAME", help="its maker; or its user, or their owner")
        parser.add_argument("--expires", metavar="DATE", help="2027-01-31, or a time with offset")

    def handle(
        self,
        *_args: str,
        workspace: str,
        user: str,
        scope: list[str],
        by: str | None,
        expires: str | None,
        **_options: object,
    ) -> None:
        with plain_refusals():
            place = workspace_named(workspace)
            member = member_named(place, user)
            _, secret = issue_token(
                place,
                member.person,
                creator=_maker(member, by),
                scopes=scope,
                expires_at=_moment(expires) if expires else None,
            )
        self.stdout.write(secret)


def _maker(member: Membership, by: str | None) -> Person:
    """Whoever made an agent's token never decides about what it asks for."""
    if by is None:
        return member.owner or member.person
    maker = member_named(member.workspace, by)
    if maker.role == Role.AGENT:
        raise NotPossibleError("A person makes a token.")
    return maker.person


def _moment(text: str) -> datetime:
    moment = moment_named(text)
    if flaw := expiry_flaw(moment):
        raise NotPossibleError(f"--expires: {flaw}")
    return moment
