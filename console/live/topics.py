"""What can be watched, a run or an inbox, and how each is read for all its watchers at once."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.db.models import Q, QuerySet

from approvals.models import Approval
from approvals.states import ApprovalStatus
from console.live import fragments
from console.live.frames import Audience, Frame
from console.live.looks import events_of
from console.live.readings import approvals_in, read_run
from console.live.rooms import Reading, Since
from console.live.states import inbox_state, run_state
from console.members import Member
from console.reads import approval_cards, open_cases
from console.shell import health, waiting
from runtime.event_log import database_now
from runtime.models import Run, Workspace

ROWS = 100
# A page left open may still show what was settled since; older rows are gone from every list.
SHOWN_FOR = timedelta(hours=12)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunTopic:
    workspace: UUID
    run: UUID

    def read(self, audiences: Collection[Audience], since: Since) -> Reading:
        run = Run.objects.select_related("workspace").get(pk=self.run)
        readings = {masked: read_run(run, masked=masked) for masked in _maskings(audiences)}
        some = next(iter(readings.values()))
        pages = [each for each in audiences if not each.as_json]
        shell = _shell(self.workspace, some.now) if pages else ()
        shared = {
            masked: (*shell, *fragments.run_frames(readings[masked])) for masked in _maskings(pages)
        }

        def region(member: Member) -> Iterator[Frame]:
            yield from shared[member.is_masked]
            yield from fragments.own_frames(readings[member.is_masked], member)

        return Reading(
            position=run.head,
            regions={
                each: (run_state(readings[each.member.is_masked], each.member),)
                if each.as_json
                else tuple(region(each.member))
                for each in audiences
            },
            lines=tuple(fragments.line_frames(some)) if pages else (),
            whole=(fragments.timeline_frame(some),) if pages and since.has_new else (),
            stale_at=some.deadline,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class InboxTopic:
    workspace: UUID
    run: None = None

    def read(self, audiences: Collection[Audience], since: Since) -> Reading:
        workspace = Workspace.objects.get(pk=self.workspace)
        position = events_of([self.workspace])[self.workspace]
        pages = [each for each in audiences if not each.as_json]
        shared = self._shared(workspace, _maskings(pages), since.moved) if pages else {}
        return Reading(
            position=position,
            regions={
                each: (inbox_state(workspace, each.member),)
                if each.as_json
                else shared[each.member.is_masked]
                for each in audiences
            },
        )

    def _shared(
        self, workspace: Workspace, maskings: set[bool], moved: frozenset[UUID] | None
    ) -> dict[bool, tuple[Frame, ...]]:
        """What pages show, for those who may read personal text and for those who may not."""
        now = database_now()
        rows = list(_rows(workspace, moved, now))
        cases = fragments.case_frames(open_cases(workspace), workspace)
        shell = (*_shell(self.workspace, now), *cases)
        return {
            masked: (*shell, *fragments.row_frames(approval_cards(rows, masked=masked), workspace))
            for masked in maskings
        }


def _maskings(audiences: Collection[Audience]) -> set[bool]:
    return {each.member.is_masked for each in audiences}


def _shell(workspace: UUID, now: datetime) -> tuple[Frame, ...]:
    return tuple(fragments.shell_frames(waiting(workspace), health(now)))


def _rows(workspace: Workspace, moved: frozenset[UUID] | None, now: datetime) -> QuerySet[Approval]:
    """Only what the runs that moved were asked, or else all that a page may be showing."""
    rows = approvals_in(workspace)
    if moved is not None:
        return rows.filter(run__in=moved).order_by("-pk")[:ROWS]
    pending = Q(status=ApprovalStatus.PENDING)
    return rows.filter(pending | Q(decide_by__gt=now - SHOWN_FOR)).order_by("-pk")[:ROWS]
