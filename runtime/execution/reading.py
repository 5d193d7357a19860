"""Read what a provider says about a call's payment, outside every transaction (T0)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

import structlog

from runtime.capabilities import require
from runtime.event_log import database_now
from runtime.execution.attempts import request_of
from runtime.models import ProviderAccount, ToolCall
from runtime.money import Money
from runtime.providers.accounts import account_of
from runtime.providers.facts import PaymentFacts
from runtime.providers.matching import Match, find_refund
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


def our_refund(call: ToolCall, facts: PaymentFacts) -> Match:
    """Find a dispatched call's own refund among those of its payment."""
    request = request_of(call)
    return find_refund(
        facts,
        external_request_id=request.external_request_id,
        intent=call.intent,
        amount=Money(minor=call.amount_minor, currency=call.currency),
    )
