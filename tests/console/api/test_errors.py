from __future__ import annotations

import json

import pytest
from django.test import Client

from tests.console.api.client import V1, Program
from tests.console.api.requests import call_body, recorded, refund, run_body, start

NOTHING = "00000000-0000-7000-8000-000000000000"


def problem(answer):
    assert answer.headers["Content-Type"] == "application/problem+json"
    return answer.status_code, answer.json()["code"]


@pytest.mark.parametrize(
    "header", [None, "", "Bearer", "Bearer ", "Bearer nonsense", "Basic YTpi", "nonsense"]
)
def test_without_a_valid_token_nobody_is_known(here, header):
    headers = {} if header is None else {"Authorization": header}

    answer = Client().get(f"{V1}/runs", headers=headers)

    assert problem(answer) == (401, "unauthenticated")
    assert answer.headers["WWW-Authenticate"] == "Bearer"


def test_a_cookie_is_never_read(here):
    browser = Client()
    browser.force_login(here.person("admin"))

    assert problem(browser.get(f"{V1}/runs")) == (401, "unauthenticated")


def test_a_foreign_host_is_refused_in_the_form_of_its_door():
    foreign = {"Host": "evil.example"}

    assert problem(Client().get(f"{V1}/runs", headers=foreign)) == (400, "malformed")
    page = Client().get("/", headers=foreign)
    assert (page.status_code, page.headers["Content-Type"]) == (400, "text/html; charset=utf-8")


def test_an_unknown_path_is_a_problem_too(here):
    paths = ["/nonsense", "/runs/", f"/runs/{NOTHING}/nonsense", "/runs/not-a-uuid", "/"]

    assert [problem(here.admin.get(path)) for path in paths] == [(404, "not_found")] * 5
    assert problem(Client().get("/api/nonsense")) == (401, "unauthenticated")


def test_a_method_that_a_resource_does_not_have_is_named_so(here):
    answer = here.admin.http.put(f"{V1}/runs", "{}", content_type="application/json")

    assert problem(answer) == (405, "method_not_allowed")
    assert answer.headers["Allow"] == "GET, POST, HEAD"


def test_only_json_is_answered(here):
    assert problem(here.admin.get("/runs", Accept="text/html")) == (406, "not_acceptable")


@pytest.mark.parametrize(
    "content_type",
    ["", "text/plain", "application/x-www-form-urlencoded", "application/json; charset=latin-1"],
)
def test_only_json_in_utf_8_is_read(here, content_type):
    before = recorded()

    answer = here.agent.send("/runs", json.dumps(run_body()).encode(), content_type)

    assert problem(answer) == (415, "unsupported_media_type")
    assert recorded() == before


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"{",
        b"nonsense",
        b'{"agent": NaN}',
        b'{"agent": Infinity}',
        b'{"agent": -Infinity}',
        b'{"agent": 1e999}',
        b'{"agent": "one", "agent": "two"}',
        b'{"subject": {"order_id": "1", "order_id": "2"}}',
        b'{"agent": "\xff"}',
        '{"agent": "x"}'.encode("utf-16"),
        '\ufeff{"agent": "x"}'.encode(),
        b"[" * 100_000,
        b'{"a":' * 50_000,
        b'{"a": ' + b"9" * 5_000 + b"}",
        b"{} {}",
    ],
)
def test_what_is_not_json_is_malformed_and_writes_nothing(here, raw):
    before = recorded()

    assert problem(here.agent.send("/runs", raw)) == (400, "malformed")
    assert recorded() == before


def test_a_body_over_one_megabyte_is_too_large_before_it_is_parsed(here):
    before = recorded()

    answer = here.agent.send("/runs", b"{" + b" " * 1_000_000)

    assert problem(answer) == (413, "too_large")
    assert recorded() == before


def test_a_body_of_one_megabyte_is_read(here):
    empty = json.dumps(run_body(goal="")).encode()
    body = run_body(goal="x" * (1_000_000 - len(empty)))

    answer = here.agent.post("/runs", body)

    assert answer.status_code == 201


def test_a_content_length_that_claims_more_than_one_megabyte_is_believed(here):
    answer = here.agent.http.generic(
        "POST", f"{V1}/runs", b"{}", "application/json", CONTENT_LENGTH="1000001"
    )

    assert problem(answer) == (413, "too_large")


@pytest.mark.parametrize("length", ["10", "0", "-1", "nonsense", ""])
def test_a_content_length_that_lies_lets_nothing_through(here, length):
    raw = json.dumps(run_body()).encode()
    before = recorded()

    answer = here.agent.http.generic(
        "POST", f"{V1}/runs", raw, "application/json", CONTENT_LENGTH=length
    )

    assert problem(answer) == (400, "malformed")
    assert recorded() == before


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
        ({"arguments": refund(note="x" * 32_768)}, "arguments"),
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


def test_an_error_nobody_expected_is_a_problem_that_says_nothing(here, settings, caplog):
    broken = Program("x" * 10)
    broken.http.raise_request_exception = True
    settings.ROOT_URLCONF = "tests.console.api.broken_urls"

    answer = broken.http.get("/api/v1/broken")

    assert problem(answer) == (500, "internal")
    assert "secret" not in answer.content.decode()
    assert "secret" in caplog.text
