"""Connect a workspace to its Stripe account, or put new keys in the place of the old ones."""

from __future__ import annotations

import os
import sys
from getpass import getpass

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from approvals.changes import record_change
from approvals.states import ChangeKind
from console.management.operator import plain_refusals, workspace_named
from runtime.connecting import NotConnectedError, connect_stripe
from runtime.notices import STRIPE_EVENTS


class Command(BaseCommand):
    help = (
        f"{__doc__} The key is read from STRIPE_API_KEY, the webhook's signing secret from "
        "STRIPE_WEBHOOK_SECRET; what is not set is asked for at the terminal, never an argument."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--workspace", required=True, metavar="SLUG")
        parser.add_argument("--live", action="store_true", help="the key moves real money")

    def handle(self, *args: object, workspace: str, live: bool, **options: object) -> None:
        with plain_refusals():
            found = workspace_named(workspace)
        api_key = given("STRIPE_API_KEY", "Secret key: ")
        if api_key is None:
            raise CommandError("STRIPE_API_KEY is not set, and there is no terminal to ask at.")
        secret = given("STRIPE_WEBHOOK_SECRET", "Signing secret of the webhook (empty: later): ")
        try:
            account = connect_stripe(found, api_key=api_key, webhook_secret=secret, is_live=live)
        except NotConnectedError as error:
            raise CommandError(str(error)) from error
        terms = {"api_base": account.api_base, "live": live}
        record_change(found, ChangeKind.PROVIDER_CONNECTED, str(account.pk), by=None, after=terms)
        self.stdout.write(f"{workspace} is connected to {account.api_base}.")
        self.stdout.write(f"Webhook: {settings.PUBLIC_URL}/webhooks/stripe/{account.pk}")
        self.stdout.write(f"Events:  {', '.join(STRIPE_EVENTS)}")
        if account.webhook_secret is None:
            self.stdout.write(
                "No signing secret yet, so webhooks are refused and outcomes are polled alone: "
                "register the address at Stripe, then run this again with its secret."
            )


def given(name: str, question: str) -> str | None:
    """Answer what the environment has or a person types; None for neither."""
    value = os.environ.get(name, "")
    if not value and sys.stdin.isatty():
        value = getpass(question)
    return value.strip() or None
