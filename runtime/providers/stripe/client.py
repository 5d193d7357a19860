"""Talk to Stripe: one connection a question, no retries of its own, no invented keys."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import requests
import stripe
import structlog
from django.conf import settings
from pydantic import ValidationError

from runtime.providers.answers import Answer
from runtime.providers.facts import NO_SUCH_PAYMENT, PaymentFacts
from runtime.providers.profiles import Profile
from runtime.providers.protocol import RefundOrder, Unreadable
from runtime.providers.stripe.classify import classify_error, classify_refund, explain_key_problem
from runtime.providers.stripe.reading import Intent, Page, payment_facts
from runtime.providers.stripe.wire import new_sending_session, new_session
from runtime.states import HeldUp

if TYPE_CHECKING:
    from stripe.params import RefundListParams

logger = structlog.get_logger(__name__)
CONNECT_S = 3.0
PAGE = 100
MOST_PAGES = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class StripeProvider:
    api_base: str
    api_key: str = field(repr=False)
    profile: Profile

    def observe(self, payment: str) -> PaymentFacts | Unreadable:
        try:
            with self._client(new_session(self.api_base)) as client:
                return self._observe(client, payment)
        except stripe.InvalidRequestError as error:
            if error.http_status == requests.codes.not_found:
                return NO_SUCH_PAYMENT
            return Unreadable(code=HeldUp.FACTS_UNREADABLE)
        except (stripe.StripeError, ValidationError) as error:
            return Unreadable(code=_held_up_by(error))

    def refund(self, order: RefundOrder) -> Answer:
        answer = self._refund(order)
        logger.info(
            "provider answered",
            external_request_id=order.external_request_id,
            answer=type(answer).__name__,
            code=getattr(answer, "code", None),
        )
        return answer

    def _refund(self, order: RefundOrder) -> Answer:
        try:
            with self._client(new_sending_session(self.api_base)) as client:
                refund = client.v1.refunds.create(
                    params={
                        "payment_intent": order.payment,
                        # Always: an omitted amount means whatever is left.
                        "amount": order.amount.minor,
                        "reason": order.reason,
                        "metadata": {
                            "intent": order.intent,
                            "external_request_id": order.external_request_id,
                        },
                    },
                    options={"idempotency_key": order.key},
                )
        except stripe.StripeError as error:
            return classify_error(error)
        return classify_refund(refund.to_dict())

    def key_problem(self) -> str | None:
        """Say why the key is of no use, asked by one read that changes nothing."""
        try:
            with self._client(new_session(self.api_base)) as client:
                client.v1.refunds.list(params={"limit": 1})
        except stripe.StripeError as error:
            return explain_key_problem(error, self.api_base)
        return None

    def _observe(self, client: stripe.StripeClient, payment: str) -> PaymentFacts:
        found = client.v1.payment_intents.retrieve(payment, params={"expand": ["latest_charge"]})
        intent = Intent.model_validate(found.to_dict())
        pages = self._refunds(client, payment) if self.profile.has_lookup else []
        return payment_facts(intent, pages)

    def _refunds(self, client: stripe.StripeClient, payment: str) -> list[Page]:
        params: RefundListParams = {"payment_intent": payment, "limit": PAGE}
        pages: list[Page] = []
        while len(pages) < MOST_PAGES:
            page = Page.model_validate(client.v1.refunds.list(params=params).to_dict())
            pages.append(page)
            if not page.has_more or not page.data:
                break
            params["starting_after"] = page.data[-1].id
        return pages

    @contextmanager
    def _client(self, session: requests.Session) -> Iterator[stripe.StripeClient]:
        time_out = settings.PROVIDER_TIMEOUT_S
        with session:
            http: Any = stripe.RequestsClient(
                timeout=(min(CONNECT_S, time_out), time_out), session=session
            )
            yield stripe.StripeClient(
                self.api_key,
                base_addresses={"api": self.api_base},
                max_network_retries=0,
                http_client=http,
            )


def _held_up_by(error: stripe.StripeError | ValidationError) -> HeldUp:
    match error:
        case stripe.AuthenticationError() | stripe.PermissionError():
            return HeldUp.MISCONFIGURED
        case stripe.RateLimitError():
            return HeldUp.THROTTLED
        case _:
            return HeldUp.FACTS_UNREADABLE
