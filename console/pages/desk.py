"""What admins say about the calls of a run: what became of one, what was seen of its effect."""

from __future__ import annotations

from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404

from approvals.handlers import observe as observe_outcome
from approvals.handlers import settle as settle_call
from approvals.states import Role
from console.members import Member
from console.pages.access import command
from console.pages.answers import answered, incomplete
from console.pages.forms import ObservationForm, SettlementForm, StatementForm
from runtime.models import ToolCall


@command(Role.ADMIN)
def settle(request: HttpRequest, member: Member, run_id: UUID) -> HttpResponse:
    form = SettlementForm(request.POST)
    if not form.is_valid():
        return incomplete(request, form, step="desk")
    call = _call(member, run_id, form)
    return answered(request, settle_call(member.actor, call.pk, form.command()))


@command(Role.ADMIN)
def observe(request: HttpRequest, member: Member, run_id: UUID) -> HttpResponse:
    form = ObservationForm(request.POST)
    if not form.is_valid():
        return incomplete(request, form, step="desk")
    call = _call(member, run_id, form)
    return answered(request, observe_outcome(member.actor, call.pk, form.command()))


def _call(member: Member, run_id: UUID, form: StatementForm) -> ToolCall:
    calls = ToolCall.objects.filter(workspace=member.actor.workspace, run=run_id)
    return get_object_or_404(calls, pk=form.cleaned_data["call"])
