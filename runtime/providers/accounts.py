"""A workspace's accounts at providers; the only place where their secrets are opened."""

from __future__ import annotations

from uuid import UUID

from runtime.data_keys import unseal
from runtime.models import ProviderAccount
from runtime.providers.profiles import PROFILES
from runtime.providers.protocol import Provider
from runtime.providers.stripe import StripeProvider


def account_of(workspace: UUID, provider: str) -> ProviderAccount | None:
    return ProviderAccount.objects.filter(workspace_id=workspace, provider=provider).first()


def open_provider(account: ProviderAccount) -> Provider:
    """Unseal an account's secret; for workers only, the web process never calls this."""
    match account.provider:
        case "stripe":
            return StripeProvider(
                api_base=account.api_base,
                api_key=unseal(bytes(account.secret)),
                profile=PROFILES[account.profile],
            )
        case other:
            raise LookupError(f"there is no provider {other!r}")
