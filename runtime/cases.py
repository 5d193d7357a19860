"""Open a case where an outcome is not what was said of it, and close it when it is again."""

from __future__ import annotations

from typing import Final

from runtime import events as e
from runtime.event_log import LockedRun
from runtime.models import Case, ToolCall
from runtime.projections import record_case
from runtime.states import CaseKind

# Whose desk it lies on: they settle whatever the machine must not.
OWNER: Final = "admin"


def open_case(locked: LockedRun, call: ToolCall, kind: CaseKind) -> None:
    """Give it an owner; nothing is sent again because of it. A call has one open case at most."""
    if open_case_of(call) is None:
        case = Case(workspace_id=call.workspace_id, run=locked.run, tool_call=call)
        opened = e.CaseOpened(case=case.pk, kind=kind, owner=OWNER)
        record_case(locked, call, case, opened)


def close_case(locked: LockedRun, call: ToolCall) -> None:
    case = open_case_of(call)
    if case is not None:
        record_case(locked, call, case, e.CaseClosed(case=case.pk))


def open_case_of(call: ToolCall) -> Case | None:
    return Case.objects.filter(tool_call=call, closed_at=None).first()
