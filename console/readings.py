"""The four readings of one log: what each is for, whose it is, and who may have it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from approvals.access import Scope
from approvals.states import Role

READ: Final = frozenset({Scope.READ})


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """`may`: which roles, by a token with which scope; `given_by`: whatever asks this table.

    The operator, who types commands beside the database, needs no role.
    """

    name: str
    schema_version: int
    owner: str
    says: str
    given_by: tuple[str, ...]
    may: Mapping[Role, frozenset[Scope]]


RUN_STATE: Final = Reading(
    name="run_state",
    schema_version=1,
    owner="console/reads/runs.py",
    says="How a run stands now, for programs; an agent sees its own runs.",
    given_by=("`GET /runs/{id}`", "the socket of a run with `?as=json`"),
    may=dict.fromkeys(Role, READ),
)
USER_VIEW: Final = Reading(
    name="user_view",
    schema_version=1,
    owner="console/live/fragments.py",
    says="The same facts as pages and their parts, for people; support sees no personal text.",
    given_by=("every page of a workspace", "its sockets"),
    may=dict.fromkeys((Role.SUPPORT, Role.REVIEWER, Role.ADMIN), READ),
)
AUDIT_RECORD: Final = Reading(
    name="audit_record",
    schema_version=1,
    owner="console/reads/audit.py",
    says="Every fact with its hashes, every receipt, refused ones too, and every change of the "
    "workspace: nothing left out but personal text, which lies elsewhere.",
    given_by=("`GET /runs/{id}/audit`", "`manage.py export_audit`"),
    may={Role.ADMIN: frozenset({Scope.ADMIN})},
)
TRAJECTORY: Final = Reading(
    name="evaluation_trajectory",
    schema_version=1,
    owner="console/reads/trajectories.py",
    says="What a run's agent did, and what became of it, without personal data: enough to grade "
    "the run by code. An agent has its own runs.",
    given_by=("`GET /runs/{id}/trajectory`", "`manage.py export_trajectories`"),
    may=dict.fromkeys((Role.REVIEWER, Role.ADMIN, Role.AGENT), READ),
)
READINGS: Final = (RUN_STATE, USER_VIEW, AUDIT_RECORD, TRAJECTORY)
