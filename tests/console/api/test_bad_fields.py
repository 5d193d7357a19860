"""A body or a query with something wrong in it is refused by the name of the field."""

from __future__ import annotations

import pytest

from tests.console.api.client import problem
from tests.console.api.requests import call_body, recorded, refund, run_body, start


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"nonsense": 1}, "nonsense"),
        ({"agent": ""}, "agent"),
        ({"agent": 5}, "agent"),
        ({"agent": "a" * 201}, "agent"),
        ({"agent": "two\nlines"}, "agent"),
        ({"goal": None}, "goal"),
        ({"goal": "a\x00b"}, "goal"),
        ({"goal": "\ud800"}, "goal"),
        ({"subject": {}}, "subject.order_id"),
        ({"subject": {"order_id": 7}}, "subject.order_id"),
        ({"subject": {"order_id": "1", "no\x00te": "x"}}, "subject.no\x00te"),
        ({"subject": {"order_id": "1", "note": ["a", "\udfff"]}}, "subject.note.1"),
        ({"subject": {"order_id": "1", "n": 2**53}}, "subject.n"),
        ({"subject": {"order_id": "1", "n": -(2**53)}}, "subject.n"),
        ({"harness": "cloud"}, "harness"),
        ({"initiator": "nobody-here"}, "initiator"),
        ({"ticket": {"ref": "T-1"}}, "ticket.author"),
        ({"ticket": {"ref": "T-1", "author": "x", "more": 1}}, "ticket.more"),
        ({"success_criterion": []}, "success_criterion"),
    ],
)
def test_a_run_with_a_bad_field_is_refused_by_the_fields_name(here, changes, field):
    before = recorded()

    answer = here.agent.post("/runs", run_body(**changes))

    assert problem(answer) == (422, "invalid")
    assert [error["field"] for error in answer.json()["errors"]] == [field]
    assert recorded() == before


def test_a_missing_field_is_named(here):
    body = run_body()
    del body["harness"]

    answer = here.agent.post("/runs", body)

    assert answer.json()["errors"] == [{"field": "harness", "detail": "Field required"}]


@pytest.mark.parametrize("body", [[], "text", 5, None, True])
def test_a_body_that_is_no_object_is_refused(here, body):
    answer = here.agent.post("/runs", body)

    assert problem(answer) == (422, "invalid")
    assert [error["field"] for error in answer.json()["errors"]] == ["body"]


def test_nesting_has_a_limit_that_is_no_accident(here):
    def nested(depth):
        return {"deep": nested(depth - 1)} if depth else "x"

    allowed = here.agent.post("/runs", run_body(subject={"order_id": "1", "a": nested(30)}))
    refused = here.agent.post("/runs", run_body(subject={"order_id": "1", "a": nested(31)}))

    assert allowed.status_code == 201
    assert problem(refused) == (422, "invalid")


def test_of_very_many_errors_the_first_twenty_are_named(here):
    body = run_body(**{f"unknown-{number}": "\x00" for number in range(1_000)})

    assert len(here.agent.post("/runs", body).json()["errors"]) == 20


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"capability": "make-coffee"}, "capability"),
        ({"capability": "refund-payment@2"}, "capability"),
        ({"capability": ""}, "capability"),
        ({"intent": ""}, "intent"),
        ({"intent": "x" * 201}, "intent"),
        ({"intent": "two\nlines"}, "intent"),
        ({"intent": "zero\u200bwidth"}, "intent"),
        ({"turn_id": ""}, "turn_id"),
        ({"decide_within_s": 0}, "decide_within_s"),
        ({"decide_within_s": 1.5}, "decide_within_s"),
        ({"decide_within_s": 2**31}, "decide_within_s"),
        ({"reasoning": {"summary": "x"}}, "reasoning.evidence"),
        ({"reasoning": {"summary": "", "evidence": []}}, "reasoning.summary"),
        ({"reasoning": {"summary": "x", "evidence": [{}]}}, "reasoning.evidence.0.label"),
        ({"arguments": []}, "arguments"),
        ({"arguments": refund(5.0)}, "arguments.amount.minor"),
        ({"arguments": refund(6.95)}, "arguments.amount.minor"),
        ({"arguments": refund("500")}, "arguments.amount.minor"),
        ({"arguments": refund(0)}, "arguments.amount.minor"),
        ({"arguments": refund(-5)}, "arguments.amount.minor"),
        ({"arguments": refund(10**12)}, "arguments.amount.minor"),
        ({"arguments": refund(minor=True)}, "arguments.amount.minor"),
        ({"arguments": refund(currency="usd")}, "arguments.amount.currency"),
        ({"arguments": refund(currency="USDX")}, "arguments.amount.currency"),
        ({"arguments": refund(1_255, "KWD")}, "arguments.amount"),
        ({"arguments": refund(payment="ch_1")}, "arguments.payment"),
        ({"arguments": refund(payment="pi_1\n")}, "arguments.payment"),
        ({"arguments": refund(reason="bored")}, "arguments.reason"),
        ({"arguments": refund(note="more")}, "arguments.note"),
        ({"arguments": refund(note="x" * 32_768)}, "arguments.note"),
    ],
)
def test_a_proposal_with_a_bad_field_is_refused_by_the_fields_name(here, changes, field):
    run = start(here.agent)
    before = recorded()

    answer = here.agent.post(f"/runs/{run}/tool-calls", call_body(**changes))

    assert problem(answer) == (422, "invalid")
    assert [error["field"] for error in answer.json()["errors"]] == [field]
    assert recorded() == before


@pytest.mark.parametrize("path", ["/runs", "/approvals", "/tokens"])
@pytest.mark.parametrize(
    ("query", "field"),
    [
        ({"limit": "0"}, "limit"),
        ({"limit": "201"}, "limit"),
        ({"limit": "ten"}, "limit"),
        ({"limit": ["1", "2"]}, "limit"),
        ({"cursor": "nonsense"}, "cursor"),
        ({"cursor": ""}, "cursor"),
        ({"cursor": "é"}, "cursor"),
        ({"cursor": "a\x00"}, "cursor"),
        ({"colour": "red"}, "colour"),
    ],
)
def test_a_list_refuses_a_query_it_does_not_understand(here, path, query, field):
    answer = here.admin.get(path, query)

    assert problem(answer) == (422, "invalid")
    assert [error["field"] for error in answer.json()["errors"]] == [field]


@pytest.mark.parametrize(
    ("path", "query"),
    [
        ("/runs", {"status": "asleep"}),
        ("/approvals", {"status": "open"}),
        ("/approvals", {"mine": "maybe"}),
    ],
)
def test_a_filter_that_nothing_can_match_is_refused(here, path, query):
    answer = here.admin.get(path, query)

    assert [error["field"] for error in answer.json()["errors"]] == list(query)
