"""Open cases as pages and programs see them."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final
from uuid import UUID

from console.reads.effects import arguments_shown, effect_of
from console.view_models.cases import CaseCard, CaseView, OpenCases
from runtime.artifacts import Arguments
from runtime.models import Case, ToolCall, Workspace
from runtime.states import CaseKind

MOST: Final = 20


def cases_of(calls: Collection[ToolCall]) -> dict[UUID, CaseView]:
    """Answer the open case of each call that has one."""
    found = Case.objects.filter(tool_call__in=calls, closed_at=None)
    return {case.tool_call_id: _view(case) for case in found}


def open_cases(workspace: Workspace) -> OpenCases:
    """Answer how many cases are open, and the oldest: the inbox stays readable with thousands."""
    found = Case.objects.filter(workspace=workspace, closed_at=None)
    oldest = found.select_related("tool_call").order_by("opened_at", "pk")[:MOST]
    # The same for everybody who opens the inbox, whatever else they may read.
    arguments = arguments_shown([case.tool_call for case in oldest], masked=True)
    shown = tuple(_card(case, arguments[case.tool_call_id]) for case in oldest)
    return OpenCases(count=found.count(), shown=shown)


def _view(case: Case) -> CaseView:
    return CaseView(
        id=case.pk, kind=CaseKind(case.kind), owner=case.owner, opened_at=case.opened_at
    )


def _card(case: Case, arguments: Arguments | None) -> CaseCard:
    call = case.tool_call
    return CaseCard(
        case=_view(case),
        run=case.run_id,
        call=call.pk,
        effect=effect_of(call.capability, call, arguments),
    )
