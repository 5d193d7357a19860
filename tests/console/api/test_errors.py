from __future__ import annotations

import json

import pytest
from django.test import Client

from tests.console.api.client import V1, Program, problem
from tests.console.api.requests import recorded, run_body

NOTHING = "00000000-0000-7000-8000-000000000000"


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
    assert problem(here.admin.patch("/members/%00", {})) == (404, "not_found")
    assert problem(here.admin.get("/commands/%00")) == (404, "not_found")
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


def test_an_error_nobody_expected_is_a_problem_that_says_nothing(here, settings, caplog):
    broken = Program("x" * 10)
    broken.http.raise_request_exception = True
    settings.ROOT_URLCONF = "tests.console.api.broken_urls"

    answer = broken.http.get("/api/v1/broken")

    assert problem(answer) == (500, "internal")
    assert "secret" not in answer.content.decode()
    assert "secret" in caplog.text


def test_a_line_break_in_a_path_hides_nothing(here):
    answer = here.admin.get("/policies/a%0Ab/withdrawals")

    assert problem(answer) == (404, "not_found")
