"""The audit record: every fact, every receipt, and every change of the workspace."""

from __future__ import annotations

from collections.abc import Iterator
from uuid import UUID

from django.db.models import QuerySet

from approvals.models import Approval, WorkspaceChange
from console.readings import AUDIT_RECORD
from console.reads.events import event_views
from console.view_models.audit import (
    AuditChange,
    AuditEvent,
    AuditHeader,
    AuditLine,
    AuditPage,
    AuditReceipt,
    AuditRun,
)
from runtime.event_log import database_now
from runtime.models import Event, Receipt, Run, ToolCall, Workspace

BATCH = 500


def audit_lines(workspace: Workspace, run_id: UUID | None) -> Iterator[AuditLine]:
    """Answer the record of a workspace, or of one run of it, which no change belongs to."""
    yield AuditHeader(
        reading=AUDIT_RECORD.name,
        schema_version=AUDIT_RECORD.schema_version,
        workspace=workspace.slug,
        workspace_id=workspace.pk,
        run=run_id,
        read_at=database_now(),
    )
    runs = Run.objects.filter(workspace=workspace).order_by("pk")
    receipts = Receipt.objects.filter(workspace=workspace)
    if run_id is None:
        changes = WorkspaceChange.objects.filter(workspace=workspace).order_by("pk")
        yield from map(_change, changes.iterator(BATCH))
    else:
        runs, receipts = runs.filter(pk=run_id), receipts_about(run_id)
    for run in runs.iterator(BATCH):
        yield AuditRun(run=run.pk, head=run.head, head_hash=run.head_hash)
        yield from _events(run, workspace)
    yield from map(_receipt, receipts.order_by("received_at", "pk").iterator(BATCH))


def audit_page(run: Run, *, after: int, limit: int) -> AuditPage:
    rows = list(_facts(run, after).order_by("position")[: limit + 1])
    shown, following = rows[:limit], rows[limit:]
    receipts = receipts_about(run.pk)
    # A receipt bears the time of the transaction in which its events were recorded.
    if after:
        receipts = (
            receipts.filter(received_at__gte=rows[0].occurred_at) if rows else receipts.none()
        )
    if following:
        receipts = receipts.filter(received_at__lt=following[0].occurred_at)
    return AuditPage(
        reading=AUDIT_RECORD.name,
        schema_version=AUDIT_RECORD.schema_version,
        run=run.pk,
        head=run.head,
        head_hash=run.head_hash,
        events=tuple(event_views(shown, workspace=run.workspace.slug)),
        receipts=tuple(map(_receipt, receipts.order_by("received_at", "pk"))),
    )


def receipts_about(run_id: UUID) -> QuerySet[Receipt]:
    """Commands to the run itself, to a call of it, or to an approval of it."""
    calls = ToolCall.objects.filter(run=run_id).order_by().values_list("pk", flat=True)
    approvals = Approval.objects.filter(run=run_id).order_by().values_list("pk", flat=True)
    return Receipt.objects.filter(target__in=[run_id, *calls, *approvals])


def _facts(run: Run, after: int) -> QuerySet[Event]:
    """Up to the head that is told: what is appended meanwhile belongs to the next reading."""
    return Event.objects.filter(run=run, position__gt=after, position__lte=run.head)


def _events(run: Run, workspace: Workspace) -> Iterator[AuditEvent]:
    rows = _facts(run, 0).order_by("position").iterator(BATCH)
    return (AuditEvent(event=view) for view in event_views(rows, workspace=workspace.slug))


def _receipt(receipt: Receipt) -> AuditReceipt:
    return AuditReceipt(
        command_id=receipt.command_id,
        command=receipt.kind,
        target=receipt.target,
        actor=f"person:{receipt.actor_id}",
        surface=receipt.surface,
        token=receipt.token,
        status=receipt.status,
        http_status=receipt.http_status,
        code=receipt.code,
        detail=receipt.detail,
        extra=receipt.extra,
        note=receipt.note,
        body_digest=receipt.body_digest,
        event_positions=tuple(receipt.event_positions),
        received_at=receipt.received_at,
    )


def _change(change: WorkspaceChange) -> AuditChange:
    return AuditChange(
        change=change.kind,
        subject=change.subject,
        actor=change.actor,
        surface=change.surface,
        token=change.token,
        before=change.before,
        after=change.after,
        changed_at=change.changed_at,
    )
