"""The one place that renders the parts of a page: for first paint, push and reload alike."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any

from django.template.loader import render_to_string

from console.live.frames import Frame
from console.live.readings import RunReading
from console.members import Member
from console.view_models.approvals import ApprovalCard
from console.view_models.banner import approval_banner
from console.view_models.bar import run_actions
from console.view_models.cases import OpenCases
from console.view_models.events import TimelineLine
from console.view_models.runs import RunView
from runtime.models import Workspace


def run_frames(reading: RunReading) -> Iterator[Frame]:
    """Everything about a run that all who may see as much see alike."""
    run, workspace = reading.run, reading.workspace
    yield _of(run, "run-banner", "runs/_banner.html", run=run)
    yield _of(run, "run-facts", "runs/_facts.html", run=run)
    for card in reading.calls:
        yield _of(run, f"call-{card.call.id}", "runs/_call.html", card=card, workspace=workspace)
    for each in reading.approvals:
        yield _of(
            run,
            f"approval-{each.approval.id}",
            "approvals/_approval.html",
            card=each,
            banner=approval_banner(each.approval, reading.now),
            workspace=workspace,
        )


def own_frames(reading: RunReading, member: Member) -> Iterator[Frame]:
    """What this member may do about the run and its approvals."""
    run, workspace = reading.run, reading.workspace
    actions = run_actions(run, member.viewer)
    yield _of(run, "run-actions", "runs/_actions.html", actions=actions, workspace=workspace)
    for bar in reading.bars(member):
        target = f"bar-{bar.approval.id}"
        yield _of(run, target, "approvals/_bar.html", bar=bar, workspace=workspace)
    for desk in reading.desks(member):
        target = f"desk-{desk.card.call.id}"
        yield _of(run, target, "runs/_desk.html", desk=desk, workspace=workspace)


def timeline_frame(reading: RunReading) -> Frame:
    return _of(
        reading.run,
        "timeline",
        "runs/_timeline.html",
        run=reading.run,
        lines=reading.lines,
        earlier=reading.earlier,
    )


def line_frames(reading: RunReading) -> Iterator[Frame]:
    for line in reading.lines:
        target = f"#event-{line.position}"
        yield Frame(
            target=target, content=_line(line), run=reading.run.id, position=reading.run.position
        )


# Lines hardly ever change, and there are many of them.
@lru_cache(maxsize=20_000)
def _line(line: TimelineLine) -> str:
    return part("runs/_event.html", line=line)


def row_frames(cards: Iterable[ApprovalCard], workspace: Workspace) -> Iterator[Frame]:
    for card in cards:
        yield Frame(
            target=f"#approval-{card.approval.id}",
            content=part("inbox/_row.html", card=card, workspace=workspace),
            run=card.approval.run,
            position=card.approval.position,
        )


def case_frames(cases: OpenCases, workspace: Workspace) -> Iterator[Frame]:
    count = part("inbox/_case_count.html", cases=cases)
    yield Frame(target="#case-count", content=count)
    content = part("inbox/_cases.html", cases=cases, workspace=workspace)
    yield Frame(target="#cases", content=content)


def shell_frames(waiting: int, health: tuple[str, ...]) -> Iterator[Frame]:
    yield Frame(target="#waiting", content=part("_waiting.html", waiting=waiting))
    yield Frame(target="#health", content=part("_health.html", health=health))


def part(template: str, **needs: Any) -> str:  # noqa: ANN401 - what a template needs
    return render_to_string(template, needs).strip()


def _of(run: RunView, target: str, template: str, /, **needs: Any) -> Frame:  # noqa: ANN401
    return Frame(
        target=f"#{target}", content=part(template, **needs), run=run.id, position=run.position
    )
