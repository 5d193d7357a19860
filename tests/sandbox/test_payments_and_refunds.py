from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
import stripe

from tests.sandbox.conftest import make_sdk


def test_a_payment_carries_its_charge_and_the_charge_its_amounts(sdk, control):
    made = control.payment(5_000, "usd", {"order": "A-1"})

    read = sdk.v1.payment_intents.retrieve(made["id"], {"expand": ["latest_charge"]})

    charge = read.latest_charge
    assert (read.status, read.amount, read.currency) == ("succeeded", 5_000, "usd")
    assert read.metadata["order"] == "A-1"
    assert (charge.amount, charge.amount_captured, charge.amount_refunded) == (5_000, 5_000, 0)
    assert (charge.refunded, charge.disputed, charge.currency) == (False, False, "usd")
    assert charge.payment_intent == made["id"]
    assert made["latest_charge"] == charge.id


def test_a_payment_can_be_made_over_the_wire(sdk):
    made = sdk.v1.payment_intents.create(
        {"amount": 1_250, "currency": "KWD", "confirm": True, "payment_method_types": ["card"]}
    )

    charge = sdk.v1.charges.retrieve(made.latest_charge)

    assert (charge.amount, charge.currency, charge.payment_intent) == (1_250, "kwd", made.id)


def test_a_charge_made_directly_has_no_payment_intent_and_can_be_refunded(sdk):
    charge = sdk.v1.charges.create({"amount": 900, "currency": "usd", "source": "tok_visa"})

    refund = sdk.v1.refunds.create({"charge": charge.id, "amount": 400})

    assert (charge.payment_intent, refund.payment_intent) == (None, None)
    assert sdk.v1.charges.retrieve(charge.id).amount_refunded == 400


def test_a_refund_is_as_stripe_writes_it(sdk, control):
    payment = control.payment(5_800, "jpy")
    asked = {
        "payment_intent": payment["id"],
        "amount": 5_800,
        "reason": "duplicate",
        "metadata": {"intent": "i-1", "external_request_id": "x"},
    }

    refund = sdk.v1.refunds.create(asked)

    read = sdk.v1.refunds.retrieve(refund.id, {"expand": ["charge"]})
    assert refund.id.startswith("re_")
    assert (refund.amount, refund.currency, refund.status) == (5_800, "jpy", "succeeded")
    assert (refund.charge, refund.payment_intent) == (payment["latest_charge"], payment["id"])
    assert (refund.reason, refund.failure_reason) == ("duplicate", None)
    assert refund.metadata.to_dict() == {"intent": "i-1", "external_request_id": "x"}
    assert (read.created, read.charge.refunded) == (refund.created, True)


def test_without_an_amount_whatever_is_left_is_refunded(sdk, control):
    payment = control.payment(1_000)
    sdk.v1.refunds.create({"payment_intent": payment["id"], "amount": 300})

    rest = sdk.v1.refunds.create({"charge": payment["latest_charge"]})

    assert rest.amount == 700


@pytest.mark.parametrize(
    ("asked", "code", "param"),
    [
        ({"amount": 5}, "parameter_missing", None),
        ({"amount": 0}, "parameter_invalid_integer", "amount"),
        ({"amount": "10.1"}, "parameter_invalid_integer", "amount"),
        ({"amount": "1_0"}, "parameter_invalid_integer", "amount"),
        ({"amount": 10**12}, None, "amount"),
        ({"reason": "regret"}, None, "reason"),
        ({"surprise": "x"}, "parameter_unknown", "surprise"),
        ({"metadata": {"k" * 41: "x"}}, None, f"metadata[{'k' * 41}]"),
        ({"metadata": {"k": "x" * 501}}, None, "metadata[k]"),
        ({"payment_intent": "pi_nowhere"}, "resource_missing", "payment_intent"),
        ({"expand": ["balance"]}, None, "expand"),
    ],
)
def test_what_stripe_would_refuse_is_refused_and_nothing_moves(sdk, control, asked, code, param):
    payment = control.payment(1_000)
    target = {} if code == "parameter_missing" else {"payment_intent": payment["id"]}
    before = control.payouts()

    with pytest.raises(stripe.InvalidRequestError) as refused:
        sdk.v1.refunds.create({**target, **asked})

    assert (refused.value.code, refused.value.param) == (code, param)
    assert control.payouts() == before
    assert sdk.v1.charges.retrieve(payment["latest_charge"]).amount_refunded == 0


def test_a_refund_above_the_remainder_names_both_amounts(sdk, control):
    payment = control.payment(1_250, "kwd")

    with pytest.raises(stripe.InvalidRequestError) as refused:
        sdk.v1.refunds.create({"payment_intent": payment["id"], "amount": 1_251})

    assert refused.value.user_message == (
        "Refund amount (KWD 1.251) is greater than unrefunded amount on charge (KWD 1.250)"
    )
    assert (refused.value.http_status, refused.value.param) == (400, "amount")


def test_a_fully_refunded_charge_says_so(sdk, control):
    payment = control.payment(1_000)
    sdk.v1.refunds.create({"payment_intent": payment["id"]})

    with pytest.raises(stripe.InvalidRequestError) as refused:
        sdk.v1.refunds.create({"payment_intent": payment["id"], "amount": 1})

    assert (refused.value.http_status, refused.value.code) == (400, "charge_already_refunded")


def test_a_disputed_charge_is_not_refunded_until_the_dispute_is_over(sdk, control):
    payment = control.payment(1_000, disputed=True)

    with pytest.raises(stripe.InvalidRequestError) as refused:
        sdk.v1.refunds.create({"payment_intent": payment["id"]})

    assert refused.value.code == "charge_disputed"
    assert sdk.v1.charges.retrieve(payment["latest_charge"]).disputed is True
    control.dispute(payment["id"], disputed=False)
    assert sdk.v1.refunds.create({"payment_intent": payment["id"]}).status == "succeeded"


def test_an_unknown_object_is_missing(sdk):
    for read in (sdk.v1.payment_intents, sdk.v1.charges, sdk.v1.refunds):
        with pytest.raises(stripe.InvalidRequestError) as refused:
            read.retrieve("xx_nowhere")

        assert (refused.value.http_status, refused.value.code) == (404, "resource_missing")


def test_parallel_refunds_never_exceed_the_payment(sdk, control):
    payment = control.payment(1_000)

    def refund(_number: int) -> str:
        try:
            sdk.v1.refunds.create({"payment_intent": payment["id"], "amount": 300})
        except stripe.InvalidRequestError:
            return "refused"
        return "paid"

    with ThreadPoolExecutor(10) as pool:
        answers = list(pool.map(refund, range(10)))

    assert answers.count("paid") == 3
    assert sdk.v1.charges.retrieve(payment["latest_charge"]).amount_refunded == 900


def test_more_than_a_hundred_refunds_are_paged_without_gap_or_repeat(wire, sdk, control):
    payment = control.payment(1_000)
    made = [
        control.refund_by_someone_else(payment["id"], 1, {"number": str(number)})["id"]
        for number in range(120)
    ]

    first = sdk.v1.refunds.list({"payment_intent": payment["id"], "limit": 100})
    listed = [refund.id for refund in first.auto_paging_iter()]

    assert (len(first.data), first.has_more) == (100, True)
    assert listed == made[::-1]
    by_charge = {"charge": payment["latest_charge"], "starting_after": made[20], "limit": "20"}
    last = wire.get("/v1/refunds", params=by_charge).json()
    assert [refund["id"] for refund in last["data"]] == made[19::-1]
    assert last["has_more"] is False


def test_a_page_holds_ten_unless_asked_otherwise_and_never_more_than_a_hundred(wire, control):
    payment = control.payment(1_000)
    for _ in range(11):
        control.refund_by_someone_else(payment["id"], 1)

    page = wire.get("/v1/refunds", params={"payment_intent": payment["id"]}).json()
    refused = wire.get("/v1/refunds", params={"payment_intent": payment["id"], "limit": 101})

    assert (len(page["data"]), page["has_more"], page["object"]) == (10, True, "list")
    assert (refused.status_code, refused.json()["error"]["param"]) == (400, "limit")


def test_the_refunds_of_a_payment_nobody_knows_are_missing(sdk):
    with pytest.raises(stripe.InvalidRequestError) as refused:
        sdk.v1.refunds.list({"payment_intent": "pi_nowhere"})

    assert (refused.value.http_status, refused.value.code) == (404, "resource_missing")


def test_the_wrong_key_is_refused_in_stripes_shape(sandbox, control):
    payment = control.payment(1_000)
    stranger = make_sdk(sandbox, api_key="sk_test_other")

    with pytest.raises(stripe.AuthenticationError) as refused:
        stranger.v1.refunds.create({"payment_intent": payment["id"]})

    assert refused.value.http_status == 401
    assert "sk_test_other" not in str(refused.value)
    assert control.journal()[-1]["status"] == 401


def test_a_url_the_provider_does_not_know_is_a_404_in_stripes_shape(wire):
    answers = [
        wire.get("/v1/customers"),
        wire.delete("/v1/refunds/re_1"),
        wire.post("/v1/refunds/x"),
    ]

    assert [answer.status_code for answer in answers] == [404, 404, 404]
    assert answers[0].json() == {
        "error": {
            "type": "invalid_request_error",
            "message": "Unrecognized request URL (GET: /v1/customers).",
        }
    }


@pytest.mark.parametrize(
    "body",
    [b"a=%ff", b"a[b][c][d][e][f]=1", b"=x", b"a=1&a[b]=2", b"amount[]=5", b"metadata[a][b]=1"],
)
def test_a_form_that_cannot_be_read_is_a_400(wire, body):
    form = {"Content-Type": "application/x-www-form-urlencoded"}

    answer = wire.post("/v1/refunds", content=body, headers=form)

    assert (answer.status_code, answer.json()["error"]["type"]) == (400, "invalid_request_error")


def test_a_body_without_end_is_refused(wire):
    answer = wire.post("/v1/refunds", content=b"a=" + b"x" * 300_000)

    assert answer.status_code == 413
