"""What waits for people, and what was settled."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from approvals.states import ApprovalStatus
from console.live.readings import approvals_in
from console.members import Member
from console.pages.access import page
from console.pages.demo import demo_tickets
from console.pages.forms import asked
from console.pages.frame import framed
from console.pages.paging import most_urgent, newest
from console.reads import approval_cards, open_cases
from console.shell import waiting
from console.view_models.inbox import FilterView, InboxView, by_urgency

SETTLED = "settled"


@page
def inbox(request: HttpRequest, member: Member) -> HttpResponse:
    workspace = member.actor.workspace
    wanted = asked(request)
    is_settled = wanted["show"] == SETTLED
    cursor = wanted["cursor"]
    pending = approvals_in(workspace).filter(status=ApprovalStatus.PENDING)
    rest = approvals_in(workspace).exclude(status=ApprovalStatus.PENDING)
    rows, following = newest(rest, cursor) if is_settled else most_urgent(pending, cursor)
    cards = approval_cards(rows, masked=member.is_masked)
    view = InboxView(
        rows=by_urgency(cards),
        waiting=waiting(workspace.pk),
        filters=(
            FilterView(label="Waiting", href="?", is_current=not is_settled),
            FilterView(label="Settled", href=f"?show={SETTLED}", is_current=is_settled),
        ),
        next=following,
        takes_news=not is_settled and not cursor,
        is_settled=is_settled,
    )
    demo: dict[str, Any] = demo_tickets() if settings.DEMO else {}
    live_url = f"/ws/{workspace.slug}/inbox/"
    return framed(
        request,
        member,
        "inbox/page.html",
        area="inbox",
        inbox=view,
        cases=open_cases(workspace),
        live_url=live_url,
        **demo,
    )
