from __future__ import annotations

import pytest


def headers(sandbox, **changed) -> dict[str, str]:
    sent = {"X-Sandbox-Token": sandbox.token, "Content-Type": "application/json"}
    return {name: value for name, value in {**sent, **changed}.items() if value is not None}


PAYMENT = b'{"amount": 100, "currency": "usd", "metadata": {}}'


@pytest.mark.parametrize(
    ("changed", "status", "code"),
    [
        ({"X-Sandbox-Token": None}, 403, "not_authorized"),
        ({"X-Sandbox-Token": "wrong"}, 403, "not_authorized"),
        ({"Host": "evil.example"}, 403, "foreign_host"),
        ({"Host": "127.0.0.1.evil.example"}, 403, "foreign_host"),
        ({"Origin": "https://evil.example"}, 403, "foreign_origin"),
        ({"Origin": "null"}, 403, "foreign_origin"),
        ({"Content-Type": "text/plain"}, 415, "unsupported_media_type"),
        ({"Content-Type": None}, 415, "unsupported_media_type"),
    ],
)
def test_a_stranger_controls_nothing(raw, wire, sandbox, changed, status, code):
    body = b'{"profile": "neither"}'

    refused = raw.post("/_sandbox/profile", content=body, headers=headers(sandbox, **changed))

    assert (refused.status_code, refused.json()["code"]) == (status, code)
    assert set(refused.json()) == {"code", "detail"}
    assert wire.get("/v1/refunds").status_code == 200


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost:8001", "[::1]:9", "[::1]"])
def test_every_name_of_this_machine_will_do(raw, sandbox, host):
    made = raw.post("/_sandbox/payments", content=PAYMENT, headers=headers(sandbox, Host=host))

    assert made.status_code == 201
    assert made.json()["id"].startswith("pi_")


def test_the_sandboxs_own_origin_is_not_foreign(raw, sandbox):
    read = raw.get("/_sandbox/journal", headers=headers(sandbox, Origin=sandbox.url))

    assert read.status_code == 200


def test_control_calls_are_not_journaled(control):
    before = control.journal()

    control.clear_faults()
    control.payment(100)

    assert control.journal() == before


@pytest.mark.parametrize(
    ("path", "body", "fields"),
    [
        ("payments", {"amount": 100}, ["currency"]),
        ("payments", {"amount": "100", "currency": "usd"}, ["amount"]),
        ("payments", {"amount": 0, "currency": "usd"}, ["amount"]),
        ("payments", {"amount": True, "currency": "usd"}, ["amount"]),
        ("payments", {"amount": 1.5, "currency": "usd"}, ["amount"]),
        ("payments", {"amount": 1, "currency": "dollars"}, ["currency"]),
        ("payments", {"amount": 1, "currency": "usd", "id": "pi_1"}, ["id"]),
        ("faults", {"on": "refund.create", "kind": "explode", "times": 1}, ["kind"]),
        ("faults", {"on": "refund.create", "kind": "empty", "times": 0}, ["times"]),
        ("faults", {"on": "refund.create", "kind": "status", "times": 1}, [""]),
        ("faults", {"on": "refund.create", "kind": "delay", "times": 1}, [""]),
        ("faults", {"on": "refund.list", "kind": "empty", "after_commit": True}, [""]),
        ("faults", {"on": "refund.list", "kind": "empty", "match": {"a": "b"}}, ["match.a"]),
        ("clock", {"advance_seconds": -1}, ["advance_seconds"]),
        ("profile", {"profile": "both"}, ["profile"]),
        ("webhooks", {"mode": "late"}, ["mode"]),
        ("refunds/re_1", {"status": "lost"}, ["status"]),
        ("refunds", {"payment": "pi_1", "amount": 1, "metadata": {"a": 1}}, ["metadata.a"]),
    ],
)
def test_a_control_call_that_means_nothing_names_its_fields(raw, sandbox, path, body, fields):
    refused = raw.post(f"/_sandbox/{path}", json=body, headers=headers(sandbox))

    assert refused.status_code == 422
    assert refused.json()["code"] == "invalid"
    assert [error["field"] for error in refused.json()["errors"]] == fields


def test_what_is_not_json_is_malformed(raw, sandbox):
    refused = raw.post("/_sandbox/clock", content=b"{", headers=headers(sandbox))

    assert (refused.status_code, refused.json()["code"]) == (400, "malformed")


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("POST", "refunds/re_nowhere", {"status": "failed"}, 404),
        ("PATCH", "payments/pi_nowhere", {"disputed": True}, 404),
        ("POST", "refunds", {"payment": "pi_nowhere", "amount": 1}, 404),
        ("POST", "nowhere", {}, 404),
        ("POST", "journal", {}, 405),
    ],
)
def test_what_is_not_there_is_said_in_json(raw, sandbox, method, path, body, status):
    refused = raw.request(method, f"/_sandbox/{path}", json=body, headers=headers(sandbox))

    assert refused.status_code == status
    assert set(refused.json()) == {"code", "detail"}


def test_someone_else_cannot_refund_more_than_is_left_either(raw, sandbox, control):
    payment = control.payment(100)
    body = {"payment": payment["id"], "amount": 101, "metadata": {}}

    refused = raw.post("/_sandbox/refunds", json=body, headers=headers(sandbox))

    assert refused.status_code == 400
    assert control.refund_by_someone_else(payment["id"], 100)["amount"] == 100


def test_a_failed_refund_does_not_come_back_once_its_money_is_spent(raw, sandbox, sdk, control):
    payment = control.payment(100)
    first = control.refund_by_someone_else(payment["id"], 100)
    control.move_refund(first["id"], "failed")
    control.refund_by_someone_else(payment["id"], 100)

    path, body = f"/_sandbox/refunds/{first['id']}", {"status": "succeeded"}
    refused = raw.post(path, json=body, headers=headers(sandbox))

    assert refused.status_code == 409
    assert sdk.v1.refunds.retrieve(first["id"]).status == "failed"


@pytest.mark.parametrize("status", ["pending", "requires_action"])
def test_a_refund_that_waits_still_holds_its_money(sdk, control, status):
    payment = control.payment(1_000)
    refund = sdk.v1.refunds.create({"payment_intent": payment["id"], "amount": 600})

    control.move_refund(refund.id, status)

    assert sdk.v1.refunds.retrieve(refund.id).status == status
    assert sdk.v1.charges.retrieve(refund.charge).amount_refunded == 600
