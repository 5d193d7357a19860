"""A provider request as it arrived, before anything is decided about it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

from starlette.requests import Request

from runtime.sandbox import forms
from runtime.sandbox.errors import InvalidParamsError
from runtime.sandbox.forms import Form

Kind = Literal["refund.create", "refund.list", "payment.read", "payment.create"]

MAX_BODY = 256 * 1024
ROUTES: tuple[tuple[str, re.Pattern[str], Kind], ...] = (
    ("POST", re.compile(r"/v1/refunds"), "refund.create"),
    ("GET", re.compile(r"/v1/refunds(?:/(?P<id>[^/]+))?"), "refund.list"),
    ("GET", re.compile(r"/v1/(?:payment_intents|charges)/(?P<id>[^/]+)"), "payment.read"),
    ("POST", re.compile(r"/v1/(?:payment_intents|charges)"), "payment.create"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """`kind` is null for a URL the provider does not know; `problem` for unreadable parameters."""

    at: str
    method: str
    path: str
    kind: Kind | None
    object_id: str | None
    authorization: str
    key: str | None
    form: Form
    problem: InvalidParamsError | None

    @property
    def metadata(self) -> dict[str, str]:
        """Only the texts: what else stood there is refused later, not journaled."""
        sent = self.form.get("metadata")
        if not isinstance(sent, dict):
            return {}
        return {name: value for name, value in sent.items() if isinstance(value, str)}


async def read_call(request: Request) -> Call:
    at = datetime.now(UTC).isoformat()
    problem, form = None, Form()
    try:
        form = forms.decode(await _parameters(request))
    except InvalidParamsError as error:
        problem = error
    kind, object_id = _route(request.method, request.url.path)
    return Call(
        at=at,
        method=request.method,
        path=request.url.path,
        kind=kind,
        object_id=object_id,
        authorization=request.headers.get("authorization", ""),
        # A key means something on POST only; elsewhere Stripe ignores it.
        key=request.headers.get("idempotency-key") if request.method == "POST" else None,
        form=form,
        problem=problem,
    )


async def _parameters(request: Request) -> bytes:
    if request.method != "POST":
        return bytes(request.scope["query_string"])
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_BODY:
            raise InvalidParamsError(413, "The request's body is too large.")
    return body


def _route(method: str, path: str) -> tuple[Kind | None, str | None]:
    for wanted, pattern, kind in ROUTES:
        matched = pattern.fullmatch(path)
        if method == wanted and matched:
            return kind, matched.groupdict().get("id")
    return None, None
