"""The application: provider routes under /v1, control routes under /_sandbox."""

from __future__ import annotations

from http import HTTPStatus

from pydantic import ValidationError
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount, Route

from runtime.sandbox.control import Control
from runtime.sandbox.errors import StripeError
from runtime.sandbox.guard import Guard
from runtime.sandbox.provider import Provider
from runtime.sandbox.settings import Settings
from runtime.sandbox.store import Store
from runtime.sandbox.webhooks import Deliverer

METHODS = ["DELETE", "GET", "PATCH", "POST", "PUT"]


def build_app(settings: Settings, store: Store) -> Starlette:
    deliverer = Deliverer(settings.webhook_url, settings.webhook_secret)
    provider = Provider(settings, store, deliverer)
    control = Control(store, deliverer)
    guard = Middleware(Guard, token=settings.token)
    return Starlette(
        routes=[
            Route("/v1/{rest:path}", provider.handle, methods=METHODS),
            Mount("/_sandbox", routes=control.routes(), middleware=[guard]),
        ],
        exception_handlers={
            ValidationError: _invalid,
            StripeError: _refused,
            HTTPException: _http_error,
        },
    )


async def _invalid(_request: Request, error: Exception) -> Response:
    """422 for a control call that means nothing; 400 when it was not even JSON."""
    assert isinstance(error, ValidationError)  # noqa: S101 - narrows the type
    problems = error.errors(include_url=False, include_context=False, include_input=False)
    if problems[0]["type"] == "json_invalid":
        return JSONResponse({"code": "malformed", "detail": problems[0]["msg"]}, 400)
    fields = [
        {"field": ".".join(map(str, problem["loc"])), "detail": problem["msg"]}
        for problem in problems
    ]
    return JSONResponse({"code": "invalid", "errors": fields}, 422)


async def _refused(_request: Request, error: Exception) -> Response:
    """A control call that the books refuse."""
    assert isinstance(error, StripeError)  # noqa: S101 - narrows the type
    code = error.error.get("code", "refused")
    return JSONResponse({"code": code, "detail": str(error)}, error.status)


async def _http_error(_request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101 - narrows the type
    code = HTTPStatus(error.status_code).phrase.lower().replace(" ", "_")
    return JSONResponse({"code": code, "detail": error.detail}, error.status_code)
