"""Write a policy's versions, and stamp when each was put in force or taken out of it."""

from __future__ import annotations

from django.db import transaction
from django.db.models import Max

from approvals.changes import Terms, record_change
from approvals.models import PolicyVersion
from approvals.policies import PolicyDocument
from approvals.states import ChangeKind
from runtime.commands import Actor
from runtime.event_log import database_now
from runtime.models import Person, Workspace
from runtime.workspaces import lock_workspace


@transaction.atomic
def write_policy(
    workspace: Workspace,
    name: str,
    document: PolicyDocument,
    *,
    author: Person | None,
    by: Actor | None = None,
) -> PolicyVersion:
    """Write the next version of a policy. It is in force once it is activated."""
    # Two authors at once would otherwise give two versions one number.
    locked = lock_workspace(workspace.pk)
    versions = PolicyVersion.objects.filter(workspace=workspace, name=name)
    last = versions.aggregate(last=Max("version"))["last"] or 0
    version = PolicyVersion.objects.create(
        workspace=workspace,
        name=name,
        version=last + 1,
        document=document.model_dump(mode="json"),
        author=author,
        written_at=locked.now,
    )
    _record(version, ChangeKind.POLICY_WRITTEN, by)
    return version


def activate_policy(version: PolicyVersion, *, by: Actor | None = None) -> None:
    _stamp(version, "activated_at", ChangeKind.POLICY_ACTIVATED, by)


def withdraw_policy(version: PolicyVersion, *, by: Actor | None = None) -> None:
    _stamp(version, "withdrawn_at", ChangeKind.POLICY_WITHDRAWN, by)


@transaction.atomic
def _stamp(version: PolicyVersion, column: str, kind: ChangeKind, by: Actor | None) -> None:
    """Say once when something happened to a version; what is written stays."""
    unstamped = PolicyVersion.objects.filter(pk=version.pk, **{column: None})
    if unstamped.update(**{column: database_now()}):
        _record(version, kind, by)
    version.refresh_from_db(fields=[column])


def _record(version: PolicyVersion, kind: ChangeKind, by: Actor | None) -> None:
    terms: Terms = {"name": version.name, "version": version.version}
    record_change(version.workspace, kind, str(version.pk), by=by, after=terms)
