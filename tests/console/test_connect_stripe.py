"""Connecting a workspace to its provider: checked with one read, stored sealed, or not at all."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator

import pytest
from django.core.management import CommandError, call_command

from approvals.models import WorkspaceChange
from approvals.setup import create_workspace
from runtime.data_keys import unseal
from runtime.models import ProviderAccount
from tests.sandbox_client import Sandbox

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory) -> Iterator[Sandbox]:
    with Sandbox(tmp_path_factory.mktemp("connect-sandbox")) as sandbox:
        yield sandbox


@pytest.fixture(autouse=True)
def acme(settings, monkeypatch, sandbox):
    settings.STRIPE_API_BASE = sandbox.url
    settings.PUBLIC_URL = "https://countersign.example.com"
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    for name in ("STRIPE_API_KEY", "STRIPE_WEBHOOK_SECRET"):
        monkeypatch.delenv(name, raising=False)
    return create_workspace("acme", "Acme")


def connect(monkeypatch, key, secret=None, *options, workspace="acme"):
    monkeypatch.setenv("STRIPE_API_KEY", key)
    if secret is not None:
        monkeypatch.setenv("STRIPE_WEBHOOK_SECRET", secret)
    out = io.StringIO()
    call_command("connect_stripe", "--workspace", workspace, *options, stdout=out)
    return out.getvalue()


def connections():
    return WorkspaceChange.objects.filter(kind="provider.connected")


def test_a_good_key_is_sealed_and_the_webhook_address_is_told(monkeypatch, sandbox):
    said = connect(monkeypatch, sandbox.api_key, "whsec_one")

    account = ProviderAccount.objects.get()
    assert unseal(bytes(account.secret)) == sandbox.api_key
    assert account.webhook_secret is not None
    assert unseal(bytes(account.webhook_secret)) == "whsec_one"
    assert f"https://countersign.example.com/webhooks/stripe/{account.pk}" in said
    assert "refund.failed" in said
    assert sandbox.api_key not in said
    assert connections().get().subject == str(account.pk)


def test_connecting_again_rotates_and_keeps_the_account(monkeypatch, sandbox):
    connect(monkeypatch, sandbox.api_key, "whsec_one")
    before = ProviderAccount.objects.get()

    connect(monkeypatch, sandbox.api_key, "whsec_two")

    after = ProviderAccount.objects.get()
    assert after.pk == before.pk
    assert after.webhook_secret is not None
    assert unseal(bytes(after.webhook_secret)) == "whsec_two"


@pytest.mark.parametrize(
    ("key", "secret", "options"),
    [
        ("sk_test_nobodys", None, []),
        ("pk_test_1", None, []),
        ("nonsense", None, []),
        ("sk_live_1", None, []),
        ("", None, []),
        ("the sandbox's", "nonsense", []),
        ("the sandbox's", None, ["--live"]),
    ],
)
def test_what_cannot_work_is_refused_in_one_line_and_nothing_is_stored(
    monkeypatch, sandbox, key, secret, options
):
    given = sandbox.api_key if key == "the sandbox's" else key

    with pytest.raises(CommandError) as refused:
        connect(monkeypatch, given, secret, *options)

    said = str(refused.value)
    assert len(said.splitlines()) == 1
    assert not given or given not in said
    assert (ProviderAccount.objects.count(), connections().count()) == (0, 0)


def test_without_a_new_secret_the_old_one_stays(monkeypatch, sandbox):
    connect(monkeypatch, sandbox.api_key, "whsec_one")
    monkeypatch.delenv("STRIPE_WEBHOOK_SECRET")

    connect(monkeypatch, sandbox.api_key)

    kept = ProviderAccount.objects.get().webhook_secret
    assert kept is not None
    assert unseal(bytes(kept)) == "whsec_one"


def test_as_long_as_there_is_no_secret_it_says_that_webhooks_are_refused(monkeypatch, sandbox):
    said = connect(monkeypatch, sandbox.api_key)

    assert "webhooks are refused" in said
    assert ProviderAccount.objects.get().webhook_secret is None


@pytest.mark.parametrize(
    ("status", "why"),
    [
        (401, "does not know this key"),
        (403, "restricted and may not read refunds"),
        (429, "answered 429, so the key was not checked"),
        (500, "answered 500, so the key was not checked"),
    ],
)
def test_what_the_provider_says_of_the_key_is_told_and_the_old_one_stays(
    monkeypatch, sandbox, status, why
):
    connect(monkeypatch, sandbox.api_key, "whsec_one")
    before = ProviderAccount.objects.values().get()
    sandbox.control.fault("refund.list", "status", status=status)

    with pytest.raises(CommandError, match=why):
        connect(monkeypatch, sandbox.api_key, "whsec_two")

    assert ProviderAccount.objects.values().get() == before


def test_a_provider_that_cannot_be_reached_leaves_the_key_unchecked(monkeypatch, settings):
    settings.STRIPE_API_BASE = "http://127.0.0.1:9"

    with pytest.raises(CommandError, match="cannot be reached"):
        connect(monkeypatch, "sk_test_1")

    assert ProviderAccount.objects.count() == 0


def test_a_workspace_is_not_moved_from_one_provider_to_another(monkeypatch, settings, sandbox):
    connect(monkeypatch, sandbox.api_key)
    ProviderAccount.objects.update(api_base="https://elsewhere.example")

    with pytest.raises(CommandError, match=r"connected to https://elsewhere\.example"):
        connect(monkeypatch, sandbox.api_key)

    assert connections().count() == 1


def test_a_workspace_that_is_not_there_is_not_connected(monkeypatch, sandbox):
    with pytest.raises(CommandError):
        connect(monkeypatch, sandbox.api_key, workspace="nowhere")

    assert ProviderAccount.objects.count() == 0
