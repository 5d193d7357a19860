"""Whatever is wrong with a request, the answer says so and nothing is written."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote

import pytest

from tests.scenarios.refunds import codes, new, wait_until

NOBODY = "00000000-0000-7000-8000-000000000000"
ARGUMENTS = {
    "payment": "pi_1",
    "amount": {"minor": 500, "currency": "USD"},
    "reason": "duplicate",
}
GOOD: dict[str, Any] = {
    "capability": "refund-payment",
    "intent": "an intent",
    "arguments": ARGUMENTS,
    "reasoning": {"summary": "It is owed.", "evidence": []},
}


def with_arguments(**changes):
    return GOOD | {"arguments": ARGUMENTS | changes}


def amount(minor, currency="USD"):
    return with_arguments(amount={"minor": minor, "currency": currency})


BAD_PROPOSALS = {
    "an unknown capability": GOOD | {"capability": "send-money"},
    "an unknown version": GOOD | {"capability": "refund-payment@2"},
    "an argument outside the schema": with_arguments(to="me"),
    "a missing argument": GOOD | {"arguments": {"payment": "pi_1"}},
    "a reason nobody knows": with_arguments(reason="because"),
    "a payment that is none": with_arguments(payment="ch_1"),
    "no money": amount(0),
    "negative money": amount(-500),
    "half a cent": amount(0.5),
    "money as text": amount("500"),
    "money as a truth": amount(minor=True),
    "more than numbers hold": amount(2**60),
    "a currency that is none": amount(500, "usd"),
    "a third decimal the provider does not take": amount(1255, "KWD"),
    "a NUL": GOOD | {"intent": "a\x00b"},
    "a lone surrogate": GOOD | {"intent": "a\ud800b"},
    "a surrogate in an argument": with_arguments(reason="\udfff"),
    "an empty intent": GOOD | {"intent": ""},
    "a long intent": GOOD | {"intent": "x" * 201},
    "an unprintable intent": GOOD | {"intent": "a\nb"},
    "a field nobody knows": GOOD | {"approved": True},
    "no deadline": GOOD | {"decide_within_s": 0},
    "a body that is a list": [GOOD],
}


@pytest.fixture(scope="module")
def refund(desk):
    """One refund that waits for a decision, and goes on waiting."""
    refund = desk.refund()
    wait_until(lambda: "payment.observed" in refund.events)
    return refund


def written(refund):
    """What a refused request must leave alone."""
    admin = refund.stack.api("admin")
    run = admin.get(f"/runs/{refund.run['id']}")
    return run["position"], refund.events, refund.approval


def post(refund, path, body, by="agent", **headers):
    """Send bytes as they are: a client library would refuse some of this."""
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    headers = {"Content-Type": "application/json"} | headers
    return refund.stack.api(by).http.post(path, content=content, headers=headers)


@pytest.mark.parametrize("what", BAD_PROPOSALS)
def test_a_bad_proposal_is_invalid_and_writes_nothing(refund, what):
    before = written(refund)

    answer = post(refund, f"/runs/{refund.run['id']}/tool-calls", BAD_PROPOSALS[what])

    assert codes([answer]) == [(422, "invalid")]
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["errors"]
    assert (written(refund), refund.payouts) == (before, 0)


BAD_BYTES = {
    "no JSON": (b"{", 400, "malformed"),
    "nothing": (b"", 400, "malformed"),
    "no UTF-8": (b'{"command_id": "\xff"}', 400, "malformed"),
    "a number that is none": (b'{"revision": NaN}', 400, "malformed"),
    "a key twice": (b'{"command_id": "a", "command_id": "b"}', 400, "malformed"),
    "nothing but depth": (b"[" * 100_000, 400, "malformed"),
    "more than a megabyte": (b'{"note": "' + b"x" * 1_000_001 + b'"}', 413, "too_large"),
}


@pytest.mark.parametrize("what", BAD_BYTES)
@pytest.mark.parametrize("action", ["decisions", "revocations"])
def test_a_body_nobody_can_read_decides_nothing(refund, what, action):
    before = written(refund)
    content, status, code = BAD_BYTES[what]

    answer = post(refund, f"/approvals/{before[2]['id']}/{action}", content, by="reviewer")

    assert codes([answer]) == [(status, code)]
    assert (written(refund), refund.payouts) == (before, 0)


BAD_DECISIONS: dict[str, dict[str, Any]] = {
    "no such answer": {"decision": "maybe"},
    "a rejection without a reason": {"decision": "reject"},
    "a reason nobody knows": {"decision": "reject", "reason_code": "mood"},
    "a digest that is none": {"digest": "x"},
    "a revision as text": {"revision": "1"},
    "revision zero": {"revision": 0},
    "a field nobody knows": {"amount": 1},
    "a NUL in the note": {"note": "a\x00b"},
    "half a surrogate pair in the note": {"note": "a\ud83d"},
    "an empty note": {"note": ""},
}


@pytest.mark.parametrize("what", BAD_DECISIONS)
def test_a_bad_decision_leaves_no_event_and_no_receipt(refund, what):
    before = written(refund)
    seen = before[2]
    command = new("command")
    body = {
        "command_id": command,
        "decision": "approve",
        "revision": seen["revision"],
        "digest": seen["digest"],
    } | BAD_DECISIONS[what]

    answer = post(refund, f"/approvals/{seen['id']}/decisions", body, by="reviewer")

    assert answer.status_code == 422
    assert answer.json()["code"] in {"invalid", "reason_required"}
    receipt = refund.stack.api("reviewer").send("GET", f"/commands/{quote(command)}")
    assert codes([receipt]) == [(404, "not_found")]
    assert (written(refund), refund.payouts) == (before, 0)


UNKNOWN = (NOBODY, "1", "..%2f..%2fetc", "%00", "x" * 3000, "%ff")


@pytest.mark.parametrize(
    "path", ["/runs/{}", "/runs/{}/events", "/tool-calls/{}", "/approvals/{}", "/commands/{}"]
)
def test_an_unknown_id_is_not_found(desk, path):
    http = desk.stack.api("admin").http

    answers = [http.get(path.format(name)) for name in UNKNOWN]

    assert codes(answers) == [(404, "not_found")] * len(UNKNOWN)


@pytest.mark.parametrize(
    "header",
    ["", "Bearer", "Bearer cst_nobody", "Basic cmV2aWV3ZXI6ZGVtbw==", "Bearer \xff"],
)
def test_a_token_nobody_issued_decides_nothing(refund, header):
    before = written(refund)
    seen = before[2]
    body = {"command_id": "x", "decision": "approve", "revision": 1, "digest": seen["digest"]}

    answer = refund.stack.api("reviewer").http.post(
        f"/approvals/{seen['id']}/decisions",
        json=body,
        headers={"Authorization": header.encode("latin-1")},
    )

    assert codes([answer]) == [(401, "unauthenticated")]
    assert (written(refund), refund.payouts) == (before, 0)
