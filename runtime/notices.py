"""Take in what a provider says of its own accord: signed, kept once, and looked at later."""

from __future__ import annotations

import secrets
from contextlib import suppress
from functools import partial
from typing import Final
from uuid import UUID

from django.db import transaction

from runtime.calls import TAKE_NOTICE, WAKE_GRACE, WAKES
from runtime.constraints import NoticeKnownError, rules_named
from runtime.data_keys import unseal
from runtime.event_log import database_now
from runtime.models import Notice, ProviderAccount
from runtime.providers.protocol import Said
from runtime.providers.stripe.notices import EVENTS, read_notice
from runtime.timers import set_timer
from runtime.wake_ups import publish

STRIPE_EVENTS: Final = EVENTS
# Signs nothing: with it an unknown account takes as long to refuse as a bad signature.
NOBODYS: Final = secrets.token_hex()


def take_in(account_id: str, body: bytes, signature: str) -> bool:
    """Keep a notice that its account's secret has signed; False for any other.

    The same one again is one row, and as welcome as the first.
    """
    account = _account(account_id)
    sealed = account.webhook_secret if account else None
    said = read_notice(body, signature, unseal(bytes(sealed)) if sealed else NOBODYS)
    if account is None or said is None:
        return False
    with suppress(NoticeKnownError), rules_named():
        _keep(account, said)
    return True


@transaction.atomic(durable=True)
def _keep(account: ProviderAccount, said: Said) -> None:
    now = database_now()
    notice = Notice.objects.create(
        account=account,
        event_id=said.event_id,
        event_type=said.event_type,
        object_ref=said.object_ref,
        payment=said.payment,
        external_request_id=said.external_request_id,
        said_at=said.said_at,
        received_at=now,
    )
    set_timer(TAKE_NOTICE, run=None, subject=notice.pk, due_at=now + WAKE_GRACE)
    transaction.on_commit(partial(publish, WAKES[TAKE_NOTICE], notice.pk))


def _account(account_id: str) -> ProviderAccount | None:
    try:
        known = UUID(account_id)
    except ValueError:
        return None
    return ProviderAccount.objects.filter(pk=known, provider="stripe").first()
