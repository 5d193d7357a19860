"""One run for auditors, and one for graders: readings of its log that few may have."""

from __future__ import annotations

from uuid import UUID

from rest_framework.request import Request
from rest_framework.response import Response

from console.api.base import ApiView, answer, found
from console.api.events import PositionQuery
from console.api.permissions import require_reading
from console.api.runs import visible_runs
from console.api.schema import describe
from console.readings import AUDIT_RECORD, TRAJECTORY
from console.reads import audit_page, trajectory_of
from console.view_models.audit import AuditPage
from console.view_models.trajectory import TrajectoryView

REFUSED = {403: "not_authorized", 404: "not_found"}


class AuditResource(ApiView):
    @describe(
        "read_audit",
        "A run's events with their hashes, and every command that reached it",
        query=PositionQuery,
        answers={200: AuditPage},
        problems=REFUSED,
    )
    def get(self, _request: Request, run_id: UUID) -> Response:
        run = found(visible_runs(self.caller), run_id)
        require_reading(self.caller, AUDIT_RECORD)
        query = self.query(PositionQuery)
        return answer(audit_page(run, after=query.after, limit=query.limit))


class TrajectoryResource(ApiView):
    @describe(
        "read_trajectory",
        "A run without personal data, for programs that grade it",
        answers={200: TrajectoryView},
        problems=REFUSED,
    )
    def get(self, _request: Request, run_id: UUID) -> Response:
        run = found(visible_runs(self.caller), run_id)
        require_reading(self.caller, TRAJECTORY)
        return answer(trajectory_of(run))
