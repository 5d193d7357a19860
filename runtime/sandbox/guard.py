"""Who may control the sandbox: a local program that knows the token, never a web page."""

from __future__ import annotations

import hmac
import re

from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

LOOPBACK = re.compile(r"(?:127\.0\.0\.1|localhost|\[::1\])(?::[0-9]{1,5})?")


def refusal(method: str, headers: Headers, token: str) -> tuple[int, str, str] | None:
    """Status, code and detail of the first thing wrong with a control request."""
    host = headers.get("host", "")
    if not LOOPBACK.fullmatch(host):
        return 403, "foreign_host", "The Host header must name this machine."
    if headers.get("origin", f"http://{host}") != f"http://{host}":
        return 403, "foreign_origin", "Web pages from elsewhere may not control the sandbox."
    sent = headers.get("x-sandbox-token", "")
    if not hmac.compare_digest(sent.encode(), token.encode()):
        return 403, "not_authorized", "The X-Sandbox-Token header is missing or wrong."
    content_type = headers.get("content-type", "").partition(";")[0].strip().lower()
    if method in {"POST", "PATCH"} and content_type != "application/json":
        return 415, "unsupported_media_type", "Send application/json."
    return None


class Guard:
    def __init__(self, app: ASGIApp, token: str) -> None:
        self.app = app
        self.token = token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        found = refusal(scope["method"], Headers(scope=scope), self.token)
        if found is None:
            await self.app(scope, receive, send)
            return
        status, code, detail = found
        await JSONResponse({"code": code, "detail": detail}, status)(scope, receive, send)
