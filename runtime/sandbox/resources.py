"""What each provider request does to the books, and the object it answers with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import assert_never

from runtime.sandbox import events, ledger, objects
from runtime.sandbox.calls import Call
from runtime.sandbox.errors import InvalidParamsError, StripeError, missing, unrecognized
from runtime.sandbox.events import Announcement
from runtime.sandbox.ledger import NewPayment, NewRefund, Payment
from runtime.sandbox.objects import Json
from runtime.sandbox.params import CreatePayment, CreateRefund, ListRefunds, Params, parse
from runtime.sandbox.store import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    body: Json
    announcements: tuple[Announcement, ...] = ()
    moved_money: bool = False


def execute(store: Store, call: Call) -> Result:
    """Run one request inside the caller's savepoint, which a StripeError undoes."""
    match call.kind:
        case "refund.create":
            return create_refund(store, call)
        case "refund.list" if call.object_id is not None:
            return retrieve_refund(store, call, call.object_id)
        case "refund.list":
            return list_refunds(store, call)
        case "payment.read":
            return retrieve_payment(store, call, call.object_id or "")
        case "payment.create":
            return create_payment(store, call)
        case None:
            raise unrecognized(call.method, call.path)
        case _:
            assert_never(call.kind)


def create_refund(store: Store, call: Call) -> Result:
    asked = parse(CreateRefund, call.form)
    payment = _named_payment(store, asked)
    if payment is None:
        message = "One of the following params should be provided: payment_intent or charge."
        raise InvalidParamsError(400, message, code="parameter_missing")
    new = NewRefund(amount=asked.amount, metadata=asked.metadata, reason=asked.reason)
    refund = ledger.add_refund(store, payment, new)
    body = objects.refund_with_payment(store, refund)
    return Result(
        body=objects.expand(store, body, asked.expand),
        announcements=events.refund_created(store, refund),
        moved_money=True,
    )


def retrieve_refund(store: Store, call: Call, refund_id: str) -> Result:
    asked = parse(Params, call.form)
    body = objects.refund_with_payment(store, ledger.refund_of(store, refund_id))
    return Result(body=objects.expand(store, body, asked.expand))


def list_refunds(store: Store, call: Call) -> Result:
    asked = parse(ListRefunds, call.form)
    payment = _named_payment(store, asked)
    charge = None if payment is None else payment.charge
    before = None
    if asked.starting_after is not None:
        before = ledger.refund_of(store, asked.starting_after, "starting_after").seq
    # One more than asked for: that is how has_more is known.
    found = ledger.refunds_of(store, charge, before=before, limit=asked.limit + 1)
    body: Json = {
        "object": "list",
        "data": [objects.refund_with_payment(store, row) for row in found[: asked.limit]],
        "has_more": len(found) > asked.limit,
        "url": "/v1/refunds",
    }
    return Result(body=objects.expand(store, body, asked.expand))


def retrieve_payment(store: Store, call: Call, object_id: str) -> Result:
    asked = parse(Params, call.form)
    payment = ledger.find_payment(store, object_id)
    if "/charges/" in call.path:
        if payment is None or payment.charge != object_id:
            raise missing("charge", object_id)
        body = objects.charge(payment)
    else:
        if payment is None or payment.payment_intent != object_id:
            raise missing("payment_intent", object_id, "intent")
        body = objects.payment_intent(payment)
    return Result(body=objects.expand(store, body, asked.expand))


def create_payment(store: Store, call: Call) -> Result:
    asked = parse(CreatePayment, call.form)
    has_intent = call.path == "/v1/payment_intents"
    new = NewPayment(
        amount=asked.amount,
        currency=asked.currency,
        metadata=asked.metadata,
        description=asked.description,
        has_intent=has_intent,
    )
    payment = ledger.add_payment(store, new)
    body = objects.payment_intent(payment) if has_intent else objects.charge(payment)
    return Result(body=objects.expand(store, body, asked.expand))


def _named_payment(store: Store, asked: CreateRefund | ListRefunds) -> Payment | None:
    """By intent or by charge; both together must name the same payment."""
    found = [
        _existing(store, field, value)
        for field in ("payment_intent", "charge")
        if (value := getattr(asked, field)) is not None
    ]
    if len({payment.charge for payment in found}) > 1:
        raise StripeError(400, "The charge does not belong to the payment_intent.", param="charge")
    return found[0] if found else None


def _existing(store: Store, field: str, object_id: str) -> Payment:
    payment = ledger.find_payment(store, object_id)
    if payment is None or getattr(payment, field) != object_id:
        raise missing(field, object_id, field)
    return payment
