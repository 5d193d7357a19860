"""What pages add in the demo only: who is who, and tickets for the agent."""

from __future__ import annotations

from typing import Any, Final

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse

from approvals.states import Role
from console.demo.seed import PASSWORD
from console.demo.stories import request_ticket, stories
from console.members import Member
from console.pages.access import command
from console.pages.addresses import back
from runtime.ids import new_id

PEOPLE: Final = {
    "reviewer": "Approves refunds up to 1,000 USD",
    "reviewer2": "The same limits; behind one of the tickets",
    "senior": "Approves up to 10,000 USD",
    "support": "Reads everything, decides nothing",
    "admin": "Owns the agent; takes approvals back",
    "admin2": "Takes approvals back",
}


def demo_people() -> dict[str, Any]:
    people = [{"username": name, "does": does} for name, does in PEOPLE.items()]
    return {"demo_people": people, "demo_password": PASSWORD}


def demo_tickets() -> dict[str, Any]:
    tickets = [{"ref": story.slug, "title": story.title} for story in stories()]
    return {"demo_tickets": tickets, "command_id": new_id()}


@command(Role.SUPPORT, Role.REVIEWER, Role.ADMIN)
def send_ticket(request: HttpRequest, _member: Member) -> HttpResponse:
    if not settings.DEMO:
        raise Http404
    try:
        request_ticket(request.POST.get("ticket", ""))
    except LookupError:
        raise Http404 from None
    return back(request)
