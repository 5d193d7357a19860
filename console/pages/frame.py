"""The frame that every page of a workspace stands in."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from console.members import Member
from console.pages.kept import Kept
from console.readings import USER_VIEW
from console.reads import receipt_view
from console.shell import health, waiting
from console.view_models.receipts import NoticeView, receipt_notice
from runtime.event_log import database_now
from runtime.models import Receipt


def framed(
    request: HttpRequest,
    member: Member,
    template: str,
    **context: Any,  # noqa: ANN401 - what the template needs
) -> HttpResponse:
    """Render a page; `now`, if given, is the moment its facts were read."""
    workspace, person = member.actor.workspace, member.actor.person
    now = context.pop("now", None) or database_now()
    frame = {
        "workspace": workspace,
        "viewer": member.viewer,
        "waiting": waiting(workspace.pk),
        "health": health(now),
        "now": now,
        "zone": person.time_zone,
        "reading": USER_VIEW,
    }
    return render(request, template, frame | context)


def notice(receipt: Receipt | None, kept: Kept | None) -> NoticeView | None:
    if receipt is not None:
        return receipt_notice(receipt_view(receipt))
    return kept.notice if kept else None
