"""A run with one fact in its log, for tests of the log itself."""

from __future__ import annotations

from uuid import UUID

from django.db import transaction

from runtime import texts
from runtime.event_log import Cause, LockedRun, create_run
from runtime.events import RunStarted
from runtime.fingerprints import order_key
from runtime.models import Person, Run, Workspace
from runtime.projections import record_run

CAUSE = Cause(producer="test")


def started_run(goal: str = "Refund what was charged twice") -> LockedRun:
    with transaction.atomic():
        workspace, _ = Workspace.objects.get_or_create(slug="acme", defaults={"name": "Acme"})
        account, _ = Person.objects.get_or_create(username="robot")
        run = Run(workspace=workspace, account=account)
        locked = create_run(run, cause=CAUSE)
        record_run(locked, _started(workspace.pk, account.pk, goal, f"run:{run.pk}"))
    return locked


def _started(workspace: UUID, account: UUID, goal: str, about: str) -> RunStarted:
    with texts.keeping(workspace, about) as kept:
        return RunStarted(
            agent="refunds",
            account=account,
            token=None,
            harness="external",
            goal=kept.keep(goal),
            success_criterion=None,
            order_key=order_key("order-001"),
            about=about,
            subject=kept.keep("{}"),
            initiator=None,
            ticket=None,
            ticket_author=None,
        )
