"""Give somebody a role in a workspace, making their account where there is none."""

from __future__ import annotations

import os
import sys
from getpass import getpass
from typing import Final

from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandParser
from django.db import transaction

from approvals.errors import NotPossibleError
from approvals.setup import add_member
from approvals.states import Role
from console.management.operator import member_named, plain_refusals, workspace_named
from runtime.models import Person, Workspace

PASSWORD: Final = "MEMBER_PASSWORD"  # noqa: S105 - where one may be, and never an argument


class Command(BaseCommand):
    help = f"{__doc__} A person's password is {PASSWORD}, or is asked for at a terminal."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--workspace", required=True, metavar="SLUG")
        parser.add_argument("--user", required=True, metavar="NAME")
        parser.add_argument("--role", required=True, help=", ".join(Role))
        parser.add_argument("--group", action="append", default=[], help="a group with limits")
        parser.add_argument("--owner", metavar="NAME", help="the person an agent belongs to")
        parser.add_argument("--password-stdin", action="store_true", help="read it from stdin")

    def handle(
        self,
        *_args: str,
        workspace: str,
        user: str,
        role: str,
        group: list[str],
        owner: str | None,
        password_stdin: bool,
        **_options: object,
    ) -> None:
        with plain_refusals():
            place, as_role = workspace_named(workspace), _role(role)
            # Asked before the transaction, which would not wait for somebody who types.
            password = (
                None if _needs_no_password(user, as_role) else _password(user, password_stdin)
            )
            with transaction.atomic():
                person = add_member(
                    place, user, as_role, groups=group, owner=_owner(place, owner)
                ).person
                if password is not None:
                    _set_password(person, password)
        self.stdout.write(f"{user} is now {as_role} of {workspace}.")
        if as_role is not Role.AGENT and not person.has_usable_password():
            self.stdout.write(f"No password: manage.py changepassword {user} sets one.")


def _needs_no_password(username: str, role: Role) -> bool:
    """Agents don't, and whoever has an account already keeps its password."""
    known = Person.objects.filter(username=username).first()
    return role is Role.AGENT or (known is not None and known.has_usable_password())


def _owner(workspace: Workspace, username: str | None) -> Person | None:
    owner = member_named(workspace, username) if username else None
    if owner and owner.role == Role.AGENT:
        raise NotPossibleError("An agent's owner is a person.")
    return owner.person if owner else None


def _set_password(person: Person, password: str) -> None:
    try:
        validate_password(password, person)
    except ValidationError as error:
        raise NotPossibleError(" ".join(error.messages)) from None
    person.set_password(password)
    person.save(update_fields=["password"])


def _role(name: str) -> Role:
    try:
        return Role(name)
    except ValueError:
        raise NotPossibleError(f"There is no role {name}: {', '.join(Role)}.") from None


def _password(username: str, from_stdin: bool) -> str | None:  # noqa: FBT001
    """What was given, or typed twice; None where nobody can be asked."""
    if from_stdin:
        return sys.stdin.readline().rstrip("\n")
    if given := os.environ.get(PASSWORD):
        return given
    if not sys.stdin.isatty():
        return None
    typed = getpass(f"Password for {username}: ")
    if typed != getpass("The same again: "):
        raise NotPossibleError("The two are not the same.")
    return typed
