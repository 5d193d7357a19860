"""What the operator's commands share: who and where is meant, and refusals in one line."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime
from uuid import UUID

from django.core.management.base import CommandError
from django.db import ProgrammingError
from django.db.models import QuerySet
from psycopg.errors import InsufficientPrivilege, UndefinedTable

from approvals.access import membership_of
from approvals.errors import NotPossibleError
from approvals.models import Membership
from runtime.constraints import RuleError, rules_named
from runtime.models import Person, Run, Workspace


@contextmanager
def plain_refusals() -> Iterator[None]:
    """Tell in one line what keeps a command from doing anything."""
    try:
        with rules_named():
            yield
    except (NotPossibleError, RuleError) as error:
        raise CommandError(str(error)) from None
    except ProgrammingError as error:
        match error.__cause__:
            case UndefinedTable():
                detail = "The database has no tables yet: run manage.py migrate."
            case InsufficientPrivilege():
                detail = "The application may not use the tables yet: run manage.py migrate."
            case _:
                raise
        raise CommandError(detail) from None


def workspace_named(slug: str) -> Workspace:
    workspace = Workspace.objects.filter(slug=slug).first()
    if workspace is None:
        raise NotPossibleError(f"There is no workspace {slug}.")
    return workspace


def member_named(workspace: Workspace, username: str) -> Membership:
    """Find an active member by the account's name."""
    person = Person.objects.filter(username=username).first()
    membership = membership_of(person, workspace) if person else None
    if membership is None:
        raise NotPossibleError(f"{workspace} has no active member {username}.")
    return membership


def runs_named(workspace: str, run_id: UUID | None) -> QuerySet[Run]:
    """Find a workspace's runs, or the one that is asked for."""
    runs = Run.objects.filter(workspace=workspace_named(workspace)).select_related("workspace")
    if run_id is None:
        return runs
    if not runs.filter(pk=run_id).exists():
        raise NotPossibleError(f"{workspace} has no run {run_id}.")
    return runs.filter(pk=run_id)


def moment_named(text: str) -> datetime:
    """A date is the moment it begins in UTC."""
    try:
        moment = datetime.fromisoformat(text)
        if moment.tzinfo is None:
            day = date.fromisoformat(text)
            moment = datetime(day.year, day.month, day.day, tzinfo=UTC)
    except ValueError:
        detail = f"{text} is neither a date nor a time with its offset from UTC."
        raise NotPossibleError(detail) from None
    return moment
