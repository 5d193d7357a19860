"""Runs are found by what their facts name, through digests that tell nothing themselves."""

from __future__ import annotations

import pytest
from django.db import transaction

from runtime import events as e
from runtime import relay
from runtime.models import Consumer, SearchTerm
from runtime.search import rebuild_search, runs_naming, search_differences, terms_of
from runtime.states import TermKind
from tests.factories import make_call, make_world, numbers

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def world():
    return make_world()


def found(world, q: str) -> list[object]:
    return list(runs_naming(world.workspace.pk, q))


def differences(run) -> list[str]:
    with transaction.atomic():
        return list(search_differences(run))


def relay_all() -> None:
    while relay.turn():
        pass


def test_a_run_is_found_by_its_payment_and_its_intent_and_nothing_like_them(world):
    call = make_call(world, payment="pi_42", intent="order 42, the cup")
    relay_all()

    assert found(world, "pi_42") == found(world, "order 42, the cup") == [call.run_id]
    assert [found(world, q) for q in ("pi_4", "PI_42", "order 42", "")] == [[], [], [], []]


def test_the_newest_run_that_names_a_payment_comes_first(world):
    first, second = make_call(world, payment="pi_42"), make_call(world, payment="pi_42")
    relay_all()

    assert found(world, "pi_42") == [second.run_id, first.run_id]


def test_another_workspace_finds_nothing_of_it(world):
    make_call(world, payment="pi_42")
    relay_all()

    assert found(make_world(f"other-{next(numbers)}"), "pi_42") == []


def test_what_is_kept_tells_nothing(world):
    make_call(world, payment="pi_42", intent="order 42")
    relay_all()

    rows = SearchTerm.objects.order_by("kind").values_list("kind", "digest")
    assert [kind for kind, _ in rows] == ["intent", "payment"]
    assert [len(digest) for _, digest in rows] == [64, 64]


@pytest.mark.parametrize(
    ("fact", "terms"),
    [
        (
            e.ToolCallDispatching(
                external_request_id="csr_1",
                wire_key="k",
                provider_account="01900000-0000-7000-8000-000000000001",
            ),
            [(TermKind.REQUEST, "csr_1")],
        ),
        (e.ToolCallAccepted(result_ref="re_1"), [(TermKind.RESULT, "re_1")]),
        (e.ToolCallCompleted(result_ref="re_1"), [(TermKind.RESULT, "re_1")]),
        (
            e.ToolCallFailed(code="c", detail="d", result_ref="re_1"),
            [(TermKind.RESULT, "re_1")],
        ),
        (e.ToolCallFailed(code="c", detail="d", result_ref=None), []),
        (
            e.OutcomeConfirmedSuccess(source="read", result_ref="re_1", detail="d"),
            [(TermKind.RESULT, "re_1")],
        ),
        (
            e.ToolAttemptAnsweredLate(answer="completed", result_ref="re_1"),
            [(TermKind.RESULT, "re_1")],
        ),
        (e.RunStopped(), []),
    ],
)
def test_each_fact_names_what_somebody_outside_calls_it_by(fact, terms):
    assert list(terms_of(fact)) == terms


def test_terms_are_as_the_log_says_as_far_as_the_consumer_has_come(world):
    run = make_call(world).run
    assert differences(run) == []

    relay_all()

    assert differences(run) == []
    assert SearchTerm.objects.count() == 2


def test_a_term_that_is_lost_and_one_that_nothing_names_are_told_and_mended(world):
    call = make_call(world, payment="pi_42")
    run = call.run
    relay_all()
    lost = SearchTerm.objects.get(kind="payment")
    lost.delete()
    SearchTerm.objects.create(workspace=run.workspace, run=run, kind="result", digest="0" * 64)

    told = differences(run)
    with transaction.atomic():
        rebuild_search(run)

    assert told == [
        f"search term payment {lost.digest} of run {run.pk}: no row",
        f"search term result {'0' * 64} of run {run.pk}: no facts",
    ]
    assert differences(run) == []
    assert found(world, "pi_42") == [run.pk]
    assert Consumer.objects.get().pos == run.events.count()
