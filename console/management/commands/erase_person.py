"""Erase a person from a workspace: what was kept about them, or their account and its words."""

from __future__ import annotations

import sys

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction

from approvals.administration import Whom
from approvals.erasure import find
from approvals.handlers import erase_by_operator
from approvals.states import ErasureReason
from console.live.notices import erased
from console.management.operator import plain_refusals, workspace_named
from runtime.models import Workspace


class Command(BaseCommand):
    help = __doc__ or ""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--workspace", required=True, metavar="SLUG")
        whom = parser.add_mutually_exclusive_group(required=True)
        whom.add_argument("--customer", metavar="REF", help="as agents name them in `subject`")
        whom.add_argument("--order", metavar="ID", help="the person whose order it is")
        whom.add_argument("--user", metavar="NAME", help="an account, with what it wrote")
        parser.add_argument(
            "--reason", required=True, choices=[each.value for each in ErasureReason]
        )
        parser.add_argument("--yes", action="store_true", help="do not ask at the terminal")

    def handle(
        self,
        *_args: str,
        workspace: str,
        customer: str | None,
        order: str | None,
        user: str | None,
        reason: str,
        yes: bool,
        **_options: object,
    ) -> None:
        whom = Whom(customer=customer, order=order, user=user)
        with plain_refusals():
            place = workspace_named(workspace)
            self.stdout.write(f"To be erased for ever: {_counts(place, whom)}.")
            if not yes and not _agrees():
                raise CommandError("Nothing was erased.")
            done = erase_by_operator(place, whom, ErasureReason(reason))
        erased(place.pk, done.person)
        self.stdout.write(f"Erased: {done.texts} texts in {done.runs} runs.")


@transaction.atomic
def _counts(workspace: Workspace, whom: Whom) -> str:
    found = find(workspace, whom)
    texts, runs = found.held.texts.count(), found.held.runs.count()
    account = ", and the account" if found.membership else ""
    return f"{texts} texts in {runs} runs{account}"


def _agrees() -> bool:
    """Somebody at a terminal has to say so; a program says --yes."""
    if not sys.stdin.isatty():
        raise CommandError("This is not a terminal: give --yes to erase without being asked.")
    return input("Nothing brings it back. Type yes to erase it: ").strip() == "yes"
