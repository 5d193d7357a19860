"""The door of the provider: authorize, break as asked, replay or execute, record, answer."""

from __future__ import annotations

import asyncio
import hmac
import json
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal, cast

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from runtime.sandbox import errors, faults, idempotency, journal, resources
from runtime.sandbox.calls import Call, read_call
from runtime.sandbox.connections import HangUp, Truncated
from runtime.sandbox.errors import InvalidParamsError, StripeError
from runtime.sandbox.events import Announcement
from runtime.sandbox.faults import Fault
from runtime.sandbox.idempotency import Answer
from runtime.sandbox.settings import Settings
from runtime.sandbox.store import Store
from runtime.sandbox.webhooks import Deliverer, Mode

Profile = Literal["key_and_lookup", "key_only", "lookup_only", "neither"]
HTML_GATEWAY_ERROR = b"<html><body><h1>502 Bad Gateway</h1></body></html>"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What was decided about a request; no answer means the provider never looked at it."""

    answer: Answer | None
    fault: Fault | None = None
    announcements: tuple[Announcement, ...] = ()
    moved_money: bool = False
    held_key: str | None = None


class Provider:
    """Requests are decided one at a time, in one transaction each; only waiting overlaps."""

    def __init__(self, settings: Settings, store: Store, deliverer: Deliverer) -> None:
        self.settings = settings
        self.store = store
        self.deliverer = deliverer
        self.keys_in_flight: set[str] = set()

    async def handle(self, request: Request) -> Response:
        try:
            call = await read_call(request)
        except ClientDisconnect:
            return HangUp()
        with self.store.transaction():
            outcome = self._decide(call)
            status = None if outcome.answer is None else outcome.answer.status
            journal.record(self.store, call, status=status, moved_money=outcome.moved_money)
            mode = cast("Mode", self.store.setting("webhooks", "normal"))
        try:
            with self._held(outcome.held_key):
                await self.deliverer.announce(outcome.announcements, mode)
                if outcome.fault is not None and outcome.fault.seconds is not None:
                    await asyncio.sleep(outcome.fault.seconds)
        except asyncio.CancelledError:
            # The sandbox is being stopped: the client sees what a dying provider looks like.
            return HangUp()
        return _response(outcome)

    @contextmanager
    def _held(self, key: str | None) -> Iterator[None]:
        """While the first request waits to be answered, its key answers 409."""
        if key is not None:
            self.keys_in_flight.add(key)
        try:
            yield
        finally:
            if key is not None:
                self.keys_in_flight.discard(key)

    def _decide(self, call: Call) -> Outcome:
        if not self._is_authorized(call):
            return Outcome(answer=_answer(errors.unauthorized()))
        profile = cast("Profile", self.store.setting("profile", "key_and_lookup"))
        key = call.key if profile in {"key_and_lookup", "key_only"} else None
        if key in self.keys_in_flight:
            return Outcome(answer=_answer(errors.key_in_use()))
        fault = faults.take(self.store, call)
        if fault is not None and fault.is_before_processing:
            return Outcome(answer=_injected(fault), fault=fault)
        try:
            if call.kind == "refund.list" and profile not in {"key_and_lookup", "lookup_only"}:
                raise errors.unrecognized(call.method, call.path)
            return self._process(call, key, fault)
        except InvalidParamsError as error:
            return Outcome(answer=_injected(fault) or _answer(error), fault=fault)

    def _is_authorized(self, call: Call) -> bool:
        wanted = f"Bearer {self.settings.api_key}"
        return hmac.compare_digest(call.authorization.encode(), wanted.encode())

    def _process(self, call: Call, key: str | None, fault: Fault | None) -> Outcome:
        if call.problem is not None:
            raise call.problem
        if key is not None:
            stored = idempotency.recall(self.store, call, key, self.settings.key_life_s)
            if stored is not None:
                return Outcome(answer=_injected(fault) or stored, fault=fault)
        announcements: tuple[Announcement, ...] = ()
        moved_money = False
        try:
            with self.store.savepoint():
                result = resources.execute(self.store, call)
        except InvalidParamsError:
            raise
        except StripeError as error:
            answer = _answer(error)
        else:
            answer = Answer(status=200, body=json.dumps(result.body).encode())
            announcements, moved_money = result.announcements, result.moved_money
        answer = _injected(fault) or answer
        if key is not None:
            idempotency.remember(self.store, call, key, answer)
        return Outcome(
            answer=answer,
            fault=fault,
            announcements=announcements,
            moved_money=moved_money,
            held_key=key,
        )


def _answer(error: StripeError) -> Answer:
    return Answer(status=error.status, body=error.body())


def _injected(fault: Fault | None) -> Answer | None:
    """The answer a `status` fault puts in the place of the real one."""
    if fault is None or fault.status is None:
        return None
    if fault.status == 502:  # noqa: PLR2004 - what a gateway says, not the provider
        return Answer(status=502, body=HTML_GATEWAY_ERROR)
    return _answer(errors.injected(fault.status))


def _response(outcome: Outcome) -> Response:
    answer = outcome.answer
    kind = None if outcome.fault is None else outcome.fault.kind
    if answer is None or kind == "drop_answer":
        return HangUp()
    headers = {"Request-Id": f"req_{secrets.token_hex(7)}"}
    if answer.replayed:
        headers["Idempotent-Replayed"] = "true"
    shape = Truncated if kind == "truncate" else Response
    body = b"" if kind == "empty" else answer.body
    media_type = "text/html" if answer.body == HTML_GATEWAY_ERROR else "application/json"
    return shape(body, answer.status, headers, media_type)
