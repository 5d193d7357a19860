"""After a command: back to its page, which says from the receipt what became of it."""

from __future__ import annotations

from typing import assert_never

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from console.members import Member
from console.pages import kept
from console.pages.addresses import back, page_with_what_was_typed
from console.pages.forms import CommandForm, asked
from runtime.commands import Answer, Applied, Refused
from runtime.models import Receipt


def answered(request: HttpRequest, answer: Answer) -> HttpResponse:
    match answer:
        case Applied(receipt=receipt):
            kept.forget(request)
            return back(request, receipt=receipt.command_id)
        case Refused(receipt=Receipt() as receipt):
            kept.forget(request)
            # The receipt holds the note; the reason that was chosen goes along.
            chosen = request.POST.get("reason_code")
            more = {"reason_code": chosen} if chosen else {}
            return back(request, receipt=receipt.command_id, **more)
        case Refused(refusal=refusal):
            kept.keep_form(request, why=refusal.code)
            return redirect(page_with_what_was_typed(request))
        case _:
            assert_never(answer)


def incomplete(request: HttpRequest, form: CommandForm) -> HttpResponse:
    """Nothing was sent on: back to the form, with what is wrong beside it."""
    errors = form.complaints
    why = "reason_required" if set(errors) == {"reason_code"} else "invalid"
    kept.keep_form(request, why=why, errors=errors)
    step = request.POST.get("decision", "")
    return back(request, kept="1", **({"step": step} if step else {}))


def own_receipt(request: HttpRequest, member: Member) -> Receipt | None:
    """Answer the receipt that the address names, if it is this person's own."""
    command_id = asked(request)["receipt"]
    if not command_id:
        return None
    actor = member.actor
    mine = Receipt.objects.select_related("actor").filter(
        workspace=actor.workspace, actor=actor.person
    )
    return mine.filter(command_id=command_id).first()
