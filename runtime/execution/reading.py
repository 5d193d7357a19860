"""Read what a provider says about a call's payment, outside every transaction (T0)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

import structlog
from django.db import transaction

from runtime.capabilities import require
from runtime.event_log import database_now
from runtime.execution.locking import lock_call
from runtime.models import ProviderAccount, ToolCall
from runtime.observations import record_observation
from runtime.providers.accounts import account_of, open_provider
from runtime.providers.facts import PaymentFacts
from runtime.providers.protocol import Provider, Unreadable

logger = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """`as_of` is from before the question: what came later is not in it."""

    facts: PaymentFacts
    as_of: datetime


def find_account(call: ToolCall) -> ProviderAccount | None:
    return account_of(call.workspace_id, require(call.capability).provider)


def dispatched_to(call: ToolCall) -> ProviderAccount:
    """Answer the account that its key belongs to. Raises ProviderAccount.DoesNotExist."""
    if call.provider_account is None:
        raise ProviderAccount.DoesNotExist
    return ProviderAccount.objects.get(pk=call.provider_account)


def read_payment(call: ToolCall, provider: Provider) -> Reading | Unreadable:
    as_of = database_now()
    facts = provider.observe(call.target)
    if isinstance(facts, Unreadable):
        logger.warning("payment not readable", tool_call=str(call.pk), code=facts.code)
        return facts
    return Reading(facts=facts, as_of=as_of)


def observe_call(call_id: UUID) -> None:
    """Store how a call's payment looks now; pages and decisions read what is stored."""
    call = ToolCall.objects.get(pk=call_id)
    account = find_account(call)
    if account is None:
        logger.warning("no provider account to read the payment from", tool_call=str(call_id))
        return
    reading = read_payment(call, open_provider(account))
    if isinstance(reading, Reading):
        _record(call_id, reading)


@transaction.atomic(durable=True)
def _record(call_id: UUID, reading: Reading) -> None:
    locked, call = lock_call(call_id)
    record_observation(locked, call, reading.facts, reading.as_of)
