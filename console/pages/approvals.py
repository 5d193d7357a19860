"""One approval: look at it, decide it, take it back."""

from __future__ import annotations

from uuid import UUID

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404

from approvals.decisions import DECIDERS
from approvals.handlers import decide as decide_approval
from approvals.handlers import revoke as revoke_approval
from approvals.models import Approval
from approvals.states import Purpose, Role
from console.live.readings import approvals_in
from console.members import Member
from console.packs import taken_pack, written
from console.pages import kept
from console.pages.access import command, page
from console.pages.answers import answered, draft, incomplete, own_receipt
from console.pages.forms import REASON_CHOICES, DecisionForm, RevocationForm, asked
from console.pages.frame import framed, notice
from console.reads import approval_cards
from console.view_models.banner import approval_banner
from console.view_models.bar import decision_bar
from console.viewers import viewers_of
from runtime.event_log import database_now
from runtime.ids import new_id


@page
def detail(request: HttpRequest, member: Member, approval_id: UUID) -> HttpResponse:
    row = _row(member, approval_id)
    now = database_now()
    (card,) = approval_cards([row], masked=member.is_masked)
    wanted = asked(request)
    receipt, typed = own_receipt(member, wanted["receipt"]), kept.kept_for(request)
    shown = typed if wanted["kept"] else None
    bar = decision_bar(card, viewers_of(member, [row])[row.pk], now)
    step = wanted["step"]
    return framed(
        request,
        member,
        "approvals/page.html",
        area="inbox",
        now=now,
        live_url=f"/ws/{member.actor.workspace.slug}/runs/{row.run_id}/",
        notice=notice(receipt, shown),
        card=card,
        banner=approval_banner(card.approval, now),
        bar=bar,
        step=step if step in bar.steps else "",
        commands=command_ids(),
        draft=draft(member, typed),
        errors=shown.errors if shown else {},
        reasons=REASON_CHOICES,
    )


@page
def evidence(_request: HttpRequest, member: Member, approval_id: UUID) -> HttpResponse:
    """The evidence pack, as a file to keep."""
    row = _row(member, approval_id)
    if member.role is not Role.ADMIN:
        raise PermissionDenied
    pack = written(taken_pack(row, by=member.actor))
    name = f'attachment; filename="evidence-{row.pk}.json"'
    return HttpResponse(pack, "application/json", headers={"Content-Disposition": name})


@command(Role.REVIEWER, Role.ADMIN)
def decide(request: HttpRequest, member: Member, approval_id: UUID) -> HttpResponse:
    row = _row(member, approval_id)
    if member.role is not DECIDERS[Purpose(row.purpose)][0]:
        raise PermissionDenied
    form = DecisionForm(request.POST)
    if not form.is_valid():
        return incomplete(request, form)
    return answered(request, decide_approval(member.actor, row.pk, form.command()))


@command(Role.REVIEWER, Role.ADMIN)
def revoke(request: HttpRequest, member: Member, approval_id: UUID) -> HttpResponse:
    row = _row(member, approval_id)
    form = RevocationForm(request.POST)
    if not form.is_valid():
        return incomplete(request, form)
    return answered(request, revoke_approval(member.actor, row.pk, form.command()))


def command_ids() -> dict[str, UUID]:
    """Made with the page, so that the same form sent twice is the same command."""
    return {"decide": new_id(), "take_back": new_id(), "revoke": new_id()}


def _row(member: Member, approval_id: UUID) -> Approval:
    return get_object_or_404(approvals_in(member.actor.workspace), pk=approval_id)
