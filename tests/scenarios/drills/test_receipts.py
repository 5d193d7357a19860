"""D16: who leaves a receipt. A refusal after the command id does, and changes nothing else."""

from __future__ import annotations

from urllib.parse import quote

import pytest

from tests.scenarios.refunds import Refund, codes, new, wait_until


def observed(refund: Refund) -> Refund:
    wait_until(lambda: "payment.observed" in refund.events)
    return refund


def superseded(desk):
    refund = observed(desk.refund())
    seen = refund.approval
    desk.stack.api("agent").propose(refund.run, refund.payment, refund.intent, 700)
    wait_until(lambda: refund.events.count("payment.observed") == 2)
    return refund, seen


def expired(desk):
    refund = desk.refund(decide_within_s=1)
    refund.when_status("refused")
    return refund, refund.approval


def settled(desk):
    refund = desk.refund()
    refund.decide("reviewer2", "reject")
    return refund, refund.approval


def stale(desk):
    refund = observed(desk.refund())
    return refund, refund.approval | {"digest": "0" * 64}


def conflicted(desk):
    refund = observed(desk.refund(1, run=desk.run(initiator="reviewer")))
    return refund, refund.approval


def without_limit(desk):
    refund = observed(desk.refund(1, "EUR"))
    return refund, refund.approval


def over_limit(desk):
    refund = observed(desk.refund(1_000_01))
    return refund, refund.approval


def disputed(desk):
    payment = desk.stack.sandbox.payment(1_000, disputed=True)["id"]
    refund = observed(desk.refund(payment=payment))
    return refund, refund.approval


REFUSALS = {
    (412, "superseded"): superseded,
    (410, "expired"): expired,
    (409, "already_settled"): settled,
    (412, "stale"): stale,
    (403, "conflict_of_interest"): conflicted,
    (403, "no_limit_for_currency"): without_limit,
    (403, "over_limit"): over_limit,
    (409, "precondition_failed"): disputed,
}


def written(refund):
    """What a refused command must leave alone."""
    run = refund.stack.api("admin").get(f"/runs/{refund.run['id']}")
    return run["position"], refund.events, refund.approval, refund.now


def receipt_of(refund, by, command):
    return refund.stack.api(by).send("GET", f"/commands/{quote(command)}")


@pytest.mark.parametrize("refusal", REFUSALS, ids=str)
def test_d16_a_refusal_after_the_command_id_leaves_a_receipt_and_nothing_else(desk, refusal):
    refund, seen = REFUSALS[refusal](desk)
    before, command = written(refund), new("command")
    decide = desk.stack.api("reviewer").decide

    answer = decide(seen, "approve", command_id=command, note="Let me")
    again = decide(seen, "approve", command_id=command, note="Let me")

    assert codes([answer]) == [refusal]
    receipt = receipt_of(refund, "reviewer", command).json()
    told = (receipt["status"], receipt["http_status"], receipt["code"], receipt["event_positions"])
    assert told == ("refused", *refusal, [])
    assert again.json() == answer.json() | {"replayed": True}
    assert (written(refund), refund.payouts) == (before, 0)


def test_d16_a_command_id_used_for_something_else_keeps_its_first_receipt(desk):
    refund, seen = stale(desk)
    command = new("command")
    desk.stack.api("reviewer").decide(seen, "approve", command_id=command)
    before, first = written(refund), receipt_of(refund, "reviewer", command).json()

    other = desk.stack.api("reviewer").decide(refund.approval, "approve", command_id=command)

    assert codes([other]) == [(422, "idempotency_mismatch")]
    assert receipt_of(refund, "reviewer", command).json() == first
    assert written(refund) == before


@pytest.mark.parametrize(
    ("by", "decision", "refusal"),
    [
        ("support", "approve", (403, "not_authorized")),
        ("admin", "approve", (403, "not_authorized")),
        ("agent", "approve", (403, "not_authorized")),
        ("reviewer", "reject", (422, "reason_required")),
        ("reviewer", "postpone", (422, "invalid")),
    ],
)
def test_d16_a_refusal_before_the_command_id_leaves_no_receipt(desk, by, decision, refusal):
    refund = observed(desk.refund())
    before, command = written(refund), new("command")

    answer = desk.stack.api(by).decide(refund.approval, decision, command_id=command)

    assert codes([answer]) == [refusal]
    assert codes([receipt_of(refund, by, command)]) == [(404, "not_found")]
    assert (written(refund), refund.payouts) == (before, 0)


def test_d16_a_refused_revocation_leaves_a_receipt_and_nothing_else(desk):
    paid, rejected = desk.granted(), desk.refund()
    rejected.decide("reviewer", "reject")
    paid.when_confirmed()
    expected = [(paid, (409, "too_late")), (rejected, (409, "already_settled"))]

    for refund, refusal in expected:
        before, command = written(refund), new("command")
        answer = refund.revoke("admin", command_id=command)
        receipt = receipt_of(refund, "admin", command).json()
        assert codes([answer]) == [refusal]
        assert (receipt["status"], receipt["code"]) == ("refused", refusal[1])
        assert written(refund) == before
