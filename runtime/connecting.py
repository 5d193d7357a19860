"""Connect a workspace to its account at Stripe: checked first, then stored whole or not at all."""

from __future__ import annotations

import re
from typing import Final

from django.conf import settings
from django.db import transaction

from runtime.data_keys import seal
from runtime.models import ProviderAccount, Workspace
from runtime.providers.profiles import PROFILES
from runtime.providers.stripe import StripeProvider

KEY: Final = re.compile(r"(?:sk|rk)_(?P<mode>test|live)_[\w-]+", re.ASCII)
WEBHOOK_SECRET: Final = re.compile(r"whsec_[\w+/=-]+", re.ASCII)
PROFILE: Final = "key_and_lookup"


class NotConnectedError(Exception):
    """Nothing was stored, and the message says why; it never quotes a secret."""


def connect_stripe(
    workspace: Workspace, *, api_key: str, webhook_secret: str | None, is_live: bool
) -> ProviderAccount:
    """Store the key and the secret, or put them in the place of the old ones.

    Without a webhook secret the old one stays; as long as there is none, every webhook is
    refused. Raises NotConnectedError.
    """
    reason = key_problem(api_key, is_live=is_live) or _secret_problem(webhook_secret)
    if reason is None:
        base, profile = settings.STRIPE_API_BASE, PROFILES[PROFILE]
        reason = StripeProvider(api_base=base, api_key=api_key, profile=profile).key_problem()
    if reason is not None:
        raise NotConnectedError(reason)
    return _store(workspace, api_key, webhook_secret)


def key_problem(api_key: str, *, is_live: bool) -> str | None:
    """Say why this cannot be the key, before anybody is asked."""
    if api_key.startswith("pk_"):
        return "This is a publishable key. Countersign needs a secret or a restricted one."
    form = KEY.fullmatch(api_key)
    if form is None:
        return "This is not a key of Stripe: those begin with sk_ or rk_, then test_ or live_."
    if form["mode"] == "live" and not is_live:
        return "This is a live key, and it moves real money. Add --live if that is meant."
    if form["mode"] == "test" and is_live:
        return "--live asks for a live key, and this is a test key."
    return None


def _secret_problem(webhook_secret: str | None) -> str | None:
    if webhook_secret is None or WEBHOOK_SECRET.fullmatch(webhook_secret):
        return None
    return "This is not the signing secret of a webhook: those begin with whsec_."


@transaction.atomic(durable=True)
def _store(workspace: Workspace, api_key: str, webhook_secret: str | None) -> ProviderAccount:
    """Put new secrets into an account; what was sent through it is looked up there for ever."""
    base = settings.STRIPE_API_BASE
    account, _ = ProviderAccount.objects.select_for_update().get_or_create(
        workspace=workspace,
        provider="stripe",
        defaults={
            "label": "stripe",
            "api_base": base,
            "secret": seal(api_key),
            "profile": PROFILE,
        },
    )
    if account.api_base != base:
        raise NotConnectedError(
            f"The workspace is connected to {account.api_base}, and its refunds are there. "
            "Connect another workspace instead."
        )
    account.secret = seal(api_key)
    if webhook_secret is not None:
        account.webhook_secret = seal(webhook_secret)
    account.save(update_fields=["secret", "webhook_secret"])
    return account
