"""A run's session: read it, append to it at a known revision, repair it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from rest_framework.request import Request
from rest_framework.response import Response

from console.api.base import ApiView, answer, found
from console.api.events import PositionQuery
from console.api.permissions import Act, require
from console.api.problems import problem
from console.api.receipts import command_answer
from console.api.runs import visible_runs
from console.api.schema import describe
from console.api.schemas import AppendBody, RepairBody
from console.view_models.receipts import ReceiptView
from runtime.commands import Refusal
from runtime.handlers import AppendItems, RepairSession, append_items, repair_session
from runtime.models import AgentSession, Run
from runtime.session_events import Repair
from runtime.sessions.damage import damage_of
from runtime.sessions.digests import read_item
from runtime.sessions.repairs import offered
from runtime.sessions.store import identity_of, session_of, vault_of


@dataclass(frozen=True, slots=True, kw_only=True)
class IdentityView:
    implementation: str
    namespace: str
    epoch: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemView:
    """`number` grows over the whole session; `revision` is the append that brought it.

    `item` is null where it cannot be read: it was erased, or is no item.
    """

    number: int
    revision: int
    item: dict[str, Any] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DoubtView:
    """Why nobody goes on, how many items were meant, and the repairs that would be taken."""

    verdict: str
    pending: int
    repairs: tuple[Repair, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionView:
    """`revision`, `count` and `digest` are of the whole session, `items` those after `after`."""

    id: UUID
    run: UUID
    identity: IdentityView
    revision: int
    count: int
    digest: str
    doubt: DoubtView | None
    items: tuple[ItemView, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AppendedView:
    revision: int


class SessionResource(ApiView):
    @describe(
        "read_session",
        "A run's session and its items, oldest first",
        query=PositionQuery,
        answers={200: SessionView},
        problems={403: "not_authorized", 404: "not_found"},
    )
    def get(self, _request: Request, run_id: UUID) -> Response:
        run = found(visible_runs(self.caller), run_id)
        require(self.caller, Act.READ_SESSION)
        return answer(_view(run, self.query(PositionQuery)))


class AppendCollection(ApiView):
    @describe(
        "append_items",
        "Append to a session at a known revision; the same attempt again answers the same",
        body=AppendBody,
        answers={201: AppendedView, 200: AppendedView},
        problems={
            403: "not_authorized",
            404: "not_found",
            409: "revision_moved, session_in_doubt, run_ended",
            422: "idempotency_mismatch",
        },
    )
    def post(self, _request: Request, run_id: UUID) -> Response:
        run = found(visible_runs(self.caller), run_id)
        require(self.caller, Act.WORK)
        body = self.body(AppendBody)
        command = AppendItems(
            base_revision=body.base_revision, attempt_token=body.attempt_token, items=body.items
        )
        outcome = append_items(self.caller.actor, run.pk, command)
        if isinstance(outcome, Refusal):
            return problem(outcome)
        view = AppendedView(revision=outcome.revision)
        return answer(view, 201 if outcome.created else 200)


class RepairCollection(ApiView):
    @describe(
        "repair_session",
        "Say how a session in doubt goes on",
        body=RepairBody,
        answers={200: ReceiptView},
        problems={
            403: "not_authorized",
            404: "not_found",
            409: "run_ended, not_in_doubt, nothing_pending, already_appended, not_well_formed",
            422: "idempotency_mismatch",
        },
    )
    def post(self, _request: Request, run_id: UUID) -> Response:
        run = found(visible_runs(self.caller), run_id)
        require(self.caller, Act.ADMINISTER)
        body = self.body(RepairBody)
        command = RepairSession(command_id=body.command_id, action=body.action, reason=body.reason)
        return command_answer(repair_session(self.caller.actor, run.pk, command))


def _view(run: Run, query: PositionQuery) -> SessionView:
    session = session_of(run)
    identity = identity_of(session)
    # Up to the revision that is answered: what is appended meanwhile comes with the next page.
    rows = session.items.filter(number__gt=query.after, append__revision__lte=session.revision)
    shown = rows.order_by("number").values_list("number", "append__revision", "text")
    vault = vault_of(run)
    return SessionView(
        id=session.pk,
        run=run.pk,
        identity=IdentityView(
            implementation=identity.implementation,
            namespace=identity.namespace,
            epoch=identity.epoch,
        ),
        revision=session.revision,
        count=session.count,
        digest=session.digest,
        doubt=_doubt(run, session),
        items=tuple(
            ItemView(number=number, revision=revision, item=read_item(vault.unlock(text)))
            for number, revision, text in shown[: query.limit]
        ),
    )


def _doubt(run: Run, session: AgentSession) -> DoubtView | None:
    damage = damage_of(run, session)
    if damage is None:
        return None
    return DoubtView(verdict=damage.verdict, pending=len(damage.pending), repairs=offered(damage))
