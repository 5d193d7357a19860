"""What the application may do with each table, derived from the models; nothing to any other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from django.apps import apps
from django.contrib.sessions.models import Session
from django.db.migrations.recorder import MigrationRecorder
from django.db.models import Model

from approvals import models as approvals
from runtime import models as runtime

Rights = frozenset[str]

READ: Final = frozenset({"SELECT"})
ADD: Final = READ | {"INSERT"}
CHANGE: Final = ADD | {"UPDATE"}
EMPTY: Final = CHANGE | {"DELETE"}

# Each has a trigger that refuses the owner what the application has no right to.
APPEND_ONLY: Final[tuple[type[Model], ...]] = (
    approvals.Consumption,
    approvals.Vote,
    approvals.WorkspaceChange,
    runtime.Artifact,
    runtime.Event,
    runtime.Receipt,
    runtime.SessionAppend,
    runtime.SessionItem,
    runtime.SessionWrite,
)
# What is over leaves these: nothing in them is a fact.
EMPTIED: Final[tuple[type[Model], ...]] = (
    approvals.Membership.groups.through,
    runtime.Heartbeat,
    runtime.RequestKey,
    runtime.Timer,
    Session,
)
# Django's own account of who may what. Nobody here goes by it.
UNUSED: Final = frozenset({"auth", "contenttypes"})
UNUSED_LINKS: Final[tuple[type[Model], ...]] = (
    runtime.Person.groups.through,
    runtime.Person.user_permissions.through,
)


def application_rights() -> Mapping[str, Rights]:
    """Answer the rights to each table there should be, by its name."""
    tables = {MigrationRecorder.Migration._meta.db_table: READ}  # noqa: SLF001
    for model in apps.get_models(include_auto_created=True):
        tables[model._meta.db_table] = _rights_to(model)  # noqa: SLF001
    return tables


def _rights_to(model: type[Model]) -> Rights:
    if model in APPEND_ONLY:
        return ADD
    if model in EMPTIED:
        return EMPTY
    if model in UNUSED_LINKS or model._meta.app_label in UNUSED:  # noqa: SLF001
        return READ
    return CHANGE
