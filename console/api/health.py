"""Whether this process answers, and whether anything behind it is missing."""

from __future__ import annotations

from typing import Final

from django.db import DatabaseError, InterfaceError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_safe

from console.reads.run_status import heard
from runtime.event_log import database_now

NEEDED: Final = ("worker", "relay")


@csrf_exempt
@require_safe
def healthz(_request: HttpRequest) -> HttpResponse:
    return JsonResponse({"ok": True})


@csrf_exempt
@require_safe
def readyz(_request: HttpRequest) -> HttpResponse:
    missing = failing()
    return JsonResponse(
        {"ok": not missing, "failing": missing},
        status=503 if missing else 200,
        headers={"Cache-Control": "no-store"},
    )


def failing() -> list[str]:
    """Name what is missing: the database, or a kind of process not heard of lately."""
    try:
        up = heard(database_now())
    except (DatabaseError, InterfaceError):
        return ["database"]
    return [kind for kind in NEEDED if kind not in up]
