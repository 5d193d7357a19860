"""After a command: back to its page, which says from the receipt what became of it."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, assert_never

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from console.members import Member
from console.pages import kept
from console.pages.addresses import back, page_with_what_was_typed
from console.pages.forms import CommandForm
from runtime.commands import Answer, Applied, Refused
from runtime.models import Receipt
from runtime.texts import read_texts


def answered(request: HttpRequest, answer: Answer) -> HttpResponse:
    match answer:
        case Applied(receipt=receipt):
            kept.forget(request)
            return back(request, receipt=receipt.command_id)
        case Refused(receipt=Receipt() as receipt):
            kept.keep_refused(request, why=receipt.code, receipt=receipt.command_id)
            return back(request, receipt=receipt.command_id)
        case Refused(refusal=refusal):
            kept.keep_form(request, why=refusal.code)
            return redirect(page_with_what_was_typed(request))
        case _:
            assert_never(answer)


def incomplete(request: HttpRequest, form: CommandForm, *, step: str = "") -> HttpResponse:
    """Nothing was sent on: back to the form, with what is wrong beside it."""
    errors = form.complaints
    why = "reason_required" if set(errors) == {"reason_code"} else "invalid"
    kept.keep_form(request, why=why, errors=errors)
    step = step or form.cleaned_data.get("decision", "")
    return back(request, kept="1", **({"step": step} if step else {}))


def own_receipt(member: Member, command_id: str | None) -> Receipt | None:
    """Answer the receipt of this command, if it is this person's own."""
    if not command_id:
        return None
    actor = member.actor
    mine = Receipt.objects.select_related("actor").filter(
        workspace=actor.workspace, actor=actor.person
    )
    return mine.filter(command_id=command_id).first()


def draft(member: Member, typed: kept.Kept | None) -> dict[str, Any]:
    """Fill a page's forms again; the words of a refused command are on its receipt."""
    if typed is None:
        return {}
    receipt = own_receipt(member, typed.receipt)
    if receipt is None or receipt.note is None:
        return asdict(typed)
    words = read_texts([receipt.note])[receipt.note]
    return {"note": words, "reason": words, "reason_code": typed.reason_code}
