"""The control calls: payments and refunds out of thin air, faults, clock, profile, journal."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Literal, TypeVar, cast

from pydantic import BaseModel, ConfigDict, Field
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from runtime.sandbox import events, faults, journal, ledger, objects
from runtime.sandbox.errors import StripeError
from runtime.sandbox.events import Announcement
from runtime.sandbox.faults import Fault
from runtime.sandbox.ledger import NewPayment, NewRefund, Payment, RefundStatus
from runtime.sandbox.params import Currency, Name, Value
from runtime.sandbox.provider import Profile
from runtime.sandbox.store import Store
from runtime.sandbox.webhooks import Deliverer, Mode

Minor = Annotated[int, Field(ge=1, le=999_999_999_999)]
Metadata = dict[Name, Value]


class Body(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class PaymentBody(Body):
    amount: Minor
    currency: Currency
    metadata: Metadata = {}
    disputed: bool = False


class DisputeBody(Body):
    disputed: bool


class RefundBody(Body):
    payment: str
    amount: Minor
    metadata: Metadata = {}


class MoveBody(Body):
    status: RefundStatus
    failure_reason: Annotated[str, Field(max_length=100)] | None = None


class WebhooksBody(Body):
    mode: Mode


class ClockBody(Body):
    advance_seconds: Annotated[int, Field(ge=0, le=10**9)]


class ProfileBody(Body):
    profile: Profile


B = TypeVar("B", bound=BaseModel)


async def read(request: Request, model: type[B]) -> B:
    return model.model_validate_json(await request.body())


class Control:
    def __init__(self, store: Store, deliverer: Deliverer) -> None:
        self.store = store
        self.deliverer = deliverer

    def routes(self) -> list[Route]:
        return [
            Route("/journal", self.read_journal, methods=["GET"]),
            Route("/faults", self.add_fault, methods=["POST"]),
            Route("/faults", self.clear_faults, methods=["DELETE"]),
            Route("/payments", self.add_payment, methods=["POST"]),
            Route("/payments/{id}", self.change_payment, methods=["PATCH"]),
            Route("/refunds", self.add_refund, methods=["POST"]),
            Route("/refunds/{id}", self.move_refund, methods=["POST"]),
            Route("/webhooks", self.set_webhooks, methods=["POST"]),
            Route("/clock", self.advance_clock, methods=["POST"]),
            Route("/profile", self.set_profile, methods=["POST"]),
        ]

    async def read_journal(self, request: Request) -> Response:
        intent = request.query_params.get("intent")
        return JSONResponse({"entries": journal.entries(self.store, intent)})

    async def add_fault(self, request: Request) -> Response:
        fault = await read(request, Fault)
        with self.store.transaction():
            faults.add(self.store, fault)
        return JSONResponse(fault.model_dump(), 201)

    async def clear_faults(self, _request: Request) -> Response:
        with self.store.transaction():
            faults.clear(self.store)
        return Response(status_code=204)

    async def add_payment(self, request: Request) -> Response:
        body = await read(request, PaymentBody)
        with self.store.transaction():
            payment = ledger.add_payment(self.store, NewPayment(**body.model_dump()))
        return JSONResponse(_payment_view(payment), 201)

    async def change_payment(self, request: Request) -> Response:
        body = await read(request, DisputeBody)
        with self.store.transaction():
            payment = self._payment(request.path_params["id"])
            payment = ledger.dispute(self.store, payment, disputed=body.disputed)
        return JSONResponse(_payment_view(payment))

    async def add_refund(self, request: Request) -> Response:
        body = await read(request, RefundBody)
        new = NewRefund(amount=body.amount, metadata=body.metadata)
        with self.store.transaction():
            refund = ledger.add_refund(self.store, self._payment(body.payment), new)
            view = objects.refund_with_payment(self.store, refund)
            announcements = events.refund_created(self.store, refund)
        await self._announce(announcements)
        return JSONResponse(view, 201)

    async def move_refund(self, request: Request) -> Response:
        body = await read(request, MoveBody)
        with self.store.transaction():
            before = ledger.refund_of(self.store, request.path_params["id"])
            reason = body.failure_reason or ("unknown" if body.status == "failed" else None)
            after = ledger.move_refund(self.store, before, body.status, reason)
            payment = ledger.payment_of(self.store, after.charge)
            if payment.remaining < 0:
                raise HTTPException(409, "The payment's other refunds leave no room for this one.")
            announcements = events.refund_moved(self.store, before, after)
        await self._announce(announcements)
        return JSONResponse(objects.refund(after, payment))

    async def set_webhooks(self, request: Request) -> Response:
        return self._set("webhooks", (await read(request, WebhooksBody)).mode)

    async def set_profile(self, request: Request) -> Response:
        return self._set("profile", (await read(request, ProfileBody)).profile)

    async def advance_clock(self, request: Request) -> Response:
        body = await read(request, ClockBody)
        with self.store.transaction():
            self.store.advance_clock(body.advance_seconds)
        now = datetime.fromtimestamp(self.store.now(), UTC)
        return JSONResponse({"now": now.isoformat()})

    def _set(self, name: Literal["webhooks", "profile"], value: str) -> Response:
        with self.store.transaction():
            self.store.change_setting(name, value)
        return JSONResponse({name: value})

    def _payment(self, object_id: str) -> Payment:
        payment = ledger.find_payment(self.store, object_id)
        if payment is None:
            raise StripeError(404, f"No such payment: '{object_id}'")
        return payment

    async def _announce(self, announcements: tuple[Announcement, ...]) -> None:
        mode = cast("Mode", self.store.setting("webhooks", "normal"))
        await self.deliverer.announce(announcements, mode)


def _payment_view(payment: Payment) -> objects.Json:
    return {**objects.payment_intent(payment), "disputed": payment.disputed}
