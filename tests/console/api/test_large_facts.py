"""What a request amounts to is no larger than a fact may be, or it is refused as a whole."""

from __future__ import annotations

from django.db import transaction
from django.db.models.functions import Length

from approvals.models import AccessToken
from runtime.event_types import MOST_BODY_BYTES
from runtime.ids import new_id
from runtime.models import Event, Person, ToolCall
from runtime.rebuilding import GUARDED, without_guards
from tests.console.api.client import code, problem
from tests.console.api.requests import call_body, propose, recorded, start
from tests.folded import altered_on_purpose

PIECE = {"label": "l" * 1_000, "text": "t" * 7_000, "url": "https://shop.example/" + "u" * 800}


def largest_body() -> int:
    size: int = Event.objects.annotate(size=Length("body")).latest("size").size
    return size


def test_a_proposal_with_all_the_evidence_there_may_be_is_no_large_fact(here):
    run = start(here.agent)
    reasoning = {"summary": "s" * 50_000, "evidence": [PIECE] * 100}

    answer = here.agent.post(f"/runs/{run}/tool-calls", call_body(reasoning=reasoning))

    assert answer.status_code == 201
    assert 39_000 < largest_body() < MOST_BODY_BYTES


def test_words_of_any_length_are_no_part_of_a_fact(here):
    start(
        here.agent,
        goal="g" * 300_000,
        success_criterion="s" * 300_000,
        subject={"order_id": "order-001", "letter": "l" * 300_000},
    )

    assert largest_body() < 1_000


def test_an_order_id_of_any_length_is_no_part_of_a_fact(here):
    start(here.agent, subject={"order_id": "o" * 300_000})

    assert largest_body() < 1_000


def test_more_people_behind_a_run_than_a_fact_can_name_is_refused_and_nothing_is_written(here):
    """Leaving some out would let them decide about what is their own."""
    run = start(here.agent)
    people = Person.objects.bulk_create(Person(username=f"maker-{each}") for each in range(900))
    AccessToken.objects.bulk_create(
        AccessToken(
            workspace=here.workspace,
            person=here.person("agent"),
            creator=maker,
            secret_hash=f"{number:064}",
            scopes=["read"],
            created_at=here.membership("agent").person.date_joined,
        )
        for number, maker in enumerate(people)
    )
    before = recorded()

    answer = here.agent.post(f"/runs/{run}/tool-calls", call_body())

    assert problem(answer) == (413, "event_too_large")
    said = answer.json()
    assert (said["event_type"], said["most"]) == ("approval.requested", MOST_BODY_BYTES)
    assert "artifact" in said["detail"]
    assert recorded() == before


def test_a_run_with_any_number_of_ended_calls_may_still_go_on(here):
    run = start(here.agent)
    propose(here.agent, run)
    (call,) = ToolCall.objects.all()
    withdraw = {"command_id": "w", "kind": "withdraw", "tool_call": str(call.pk)}
    assert here.agent.post(f"/runs/{run}/commands", withdraw).status_code == 200
    call.refresh_from_db()
    others = [ToolCall.objects.get(pk=call.pk) for _ in range(600)]
    for number, other in enumerate(others):
        other.pk, other.intent = new_id(), f"other-{number}"
    altered_on_purpose.add(call.run_id)
    with transaction.atomic(), without_guards(GUARDED):
        ToolCall.objects.bulk_create(others)

    answer = here.agent.post(f"/runs/{run}/continuations", {})

    assert (answer.status_code, answer.json()["granted"]) == (200, True)
    granted = Event.objects.get(event_type="continuation.granted").payload
    assert (granted["calls"], granted["ended"]["count"]) == ([], 601)
    assert largest_body() < 2_000


def test_a_retry_opens_no_more_calls_than_a_proposal_may(here):
    run = start(here.agent)
    ended = propose(here.agent, run)
    withdraw = {"command_id": "w", "kind": "withdraw", "tool_call": ended["id"]}
    here.agent.post(f"/runs/{run}/commands", withdraw)
    for number in range(50):
        propose(here.agent, run, intent=f"open-{number}")
    before = Event.objects.count()

    answer = here.agent.post(
        f"/runs/{run}/commands", {"command_id": "r", "kind": "retry", "tool_call": ended["id"]}
    )

    assert code(answer) == (429, "too_many_open")
    assert Event.objects.count() == before
