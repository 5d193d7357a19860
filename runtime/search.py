"""Find runs by what their facts name: kept as keyed digests that a consumer of the feed writes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final
from uuid import UUID

from django.db.models import QuerySet

from runtime import events as e
from runtime.consumers import follows, lock_cursor
from runtime.event_log import recorded
from runtime.event_types import Payload, Recorded
from runtime.fingerprints import fingerprint
from runtime.models import Outbox, Run, SearchTerm
from runtime.states import TermKind

SEARCH: Final = "search"
MOST: Final = 1_000
Term = tuple[TermKind, str]


def runs_naming(workspace: UUID, q: str) -> QuerySet[SearchTerm, UUID]:
    """Answer the newest runs whose numbered facts name exactly this."""
    found = SearchTerm.objects.filter(workspace_id=workspace, digest=_digest(workspace, q))
    return found.order_by("-run_id").values_list("run_id", flat=True)[:MOST]


def terms_of(payload: Payload) -> Iterator[Term]:
    """What somebody outside may have in hand of a call: what it is called there."""
    match payload:
        case e.ToolCallProposed(intent=intent, target=target):
            yield TermKind.INTENT, intent
            yield TermKind.PAYMENT, target
        case e.ToolCallRevised(target=target):
            yield TermKind.PAYMENT, target
        case e.ToolCallDispatching(external_request_id=request):
            yield TermKind.REQUEST, request
        case (
            e.ToolCallAccepted(result_ref=result)
            | e.ToolCallCompleted(result_ref=result)
            | e.ToolCallFailed(result_ref=result)
            | e.ToolCallSettled(result_ref=result)
            | e.ToolAttemptAnsweredLate(result_ref=result)
            | e.Outcome(result_ref=result)
        ):
            if result is not None:
                yield TermKind.RESULT, result
        case _:
            pass


@follows(SEARCH)
def take_in(facts: Sequence[Recorded]) -> None:
    """Write the terms of these facts; one that its run has already stays as it is."""
    rows = [
        SearchTerm(
            workspace_id=fact.envelope.workspace, run_id=fact.envelope.run, kind=kind, digest=digest
        )
        for fact in facts
        for kind, digest in _digested(fact)
    ]
    SearchTerm.objects.bulk_create(rows, ignore_conflicts=True)


def search_differences(run: Run) -> Iterator[str]:
    """Name each term that a run lacks or has too much, as far as the consumer has come.

    It is held where it is: the caller is in a transaction.
    """
    facts = _facts_taken(run)
    named = {term for fact in facts for term in _digested(fact)}
    stored = set(SearchTerm.objects.filter(run=run).values_list("kind", "digest"))
    for kind, digest in sorted(named ^ stored):
        found = "no facts" if (kind, digest) in stored else "no row"
        yield f"search term {kind} {digest} of run {run.pk}: {found}"


def rebuild_search(run: Run) -> None:
    """Write a run's terms anew, as far as the consumer has come."""
    facts = _facts_taken(run)
    SearchTerm.objects.filter(run=run).delete()
    take_in(facts)


def _facts_taken(run: Run) -> list[Recorded]:
    cursor = lock_cursor(SEARCH, run.workspace_id)
    upto = 0 if cursor is None else cursor.pos
    rows = Outbox.objects.filter(run=run, pos__lte=upto).select_related("event").order_by("pos")
    return [recorded(row.event) for row in rows]


def _digested(fact: Recorded) -> Iterator[tuple[str, str]]:
    for kind, name in terms_of(fact.payload):
        yield kind.value, _digest(fact.envelope.workspace, name)


def _digest(workspace: UUID, name: str) -> str:
    return fingerprint({"search": name, "workspace": str(workspace)})
