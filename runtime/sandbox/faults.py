"""The faults a test asks for, and which of them a request runs into."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from runtime.sandbox.calls import Call
from runtime.sandbox.errors import StripeError
from runtime.sandbox.ledger import Payment, find_payment, refund_of, refunds_of
from runtime.sandbox.store import Store


class Match(BaseModel):
    """Reads match an intent when a refund of what they read carries it."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    payment: str | None = None
    intent: str | None = None


class Fault(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    on: Literal["refund.create", "refund.list", "payment.read"]
    kind: Literal["drop_request", "drop_answer", "truncate", "empty", "delay", "status"]
    times: Annotated[int, Field(ge=1, le=1_000_000)] = 1
    match: Match = Match()
    status: Annotated[int, Field(ge=400, le=599)] | None = None
    seconds: Annotated[float, Field(gt=0, le=600)] | None = None
    after_commit: bool = False

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if (self.kind == "status") != (self.status is not None):
            raise ValueError("`status` is needed for kind `status`, and only there")
        if (self.kind == "delay") != (self.seconds is not None):
            raise ValueError("`seconds` is needed for kind `delay`, and only there")
        if self.after_commit and self.kind != "status":
            raise ValueError("`after_commit` belongs to kind `status`")
        return self

    @property
    def is_before_processing(self) -> bool:
        return self.kind == "drop_request" or (self.kind == "status" and not self.after_commit)


def add(store: Store, fault: Fault) -> None:
    insert = "INSERT INTO faults (body, times_left) VALUES (?, ?)"
    store.db.execute(insert, (fault.model_dump_json(), fault.times))


def clear(store: Store) -> None:
    store.db.execute("DELETE FROM faults")


def take(store: Store, call: Call) -> Fault | None:
    """The oldest fault that meets this request, used up once."""
    for row in store.db.execute(
        "SELECT * FROM faults WHERE times_left > 0 ORDER BY seq"
    ).fetchall():
        fault = Fault.model_validate_json(row["body"])
        if fault.on == call.kind and _meets(store, fault.match, call):
            spend = "UPDATE faults SET times_left = times_left - 1 WHERE seq = ?"
            store.db.execute(spend, (row["seq"],))
            return fault
    return None


def _meets(store: Store, match: Match, call: Call) -> bool:
    payment = _payment(store, call)
    ids = () if payment is None else (payment.payment_intent, payment.charge)
    if match.payment is not None and match.payment not in ids:
        return False
    return match.intent is None or match.intent in _intents(store, call, payment)


def _payment(store: Store, call: Call) -> Payment | None:
    """The payment that a request is about, by whichever id it was named."""
    named = call.object_id or call.form.get("payment_intent") or call.form.get("charge")
    if not isinstance(named, str):
        return None
    if call.kind == "refund.list" and call.object_id:
        try:
            named = refund_of(store, named).charge
        except StripeError:
            return None
    return find_payment(store, named)


def _intents(store: Store, call: Call, payment: Payment | None) -> set[str | None]:
    if call.kind == "refund.create":
        return {call.metadata.get("intent")}
    refunds = [] if payment is None else refunds_of(store, payment.charge)
    return {refund.metadata.get("intent") for refund in refunds}
