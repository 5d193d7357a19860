from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
from threading import Thread

import pytest
import stripe

from runtime.sandbox.settings import refusal
from tests.sandbox.conftest import make_sdk
from tests.sandbox_client import ROOT, Sandbox, free_port, sandbox_command


@pytest.fixture
def own(tmp_path):
    with Sandbox(tmp_path / "state") as sandbox:
        yield sandbox


def run(port, state, environment) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        sandbox_command(port, state),
        cwd=ROOT,
        env={"PATH": os.environ["PATH"], **environment},
        capture_output=True,
        text=True,
        timeout=15,
        check=False,
    )


def test_what_it_knew_before_a_kill_it_knows_after(own):
    sdk = make_sdk(own)
    payment = own.control.payment(1_000, disputed=True)
    own.control.dispute(payment["id"], disputed=False)
    asked = {"payment_intent": payment["id"], "amount": 100, "metadata": {"intent": "i"}}
    refund = sdk.v1.refunds.create(asked, {"idempotency_key": "k"})
    own.control.fault("refund.list", "status", status=503)
    own.control.fault("refund.create", "drop_answer", match={"intent": "lost"})
    with pytest.raises(stripe.APIConnectionError):
        sdk.v1.refunds.create({**asked, "metadata": {"intent": "lost"}})
    own.control.webhooks("off")
    own.control.profile("lookup_only")
    own.control.profile("key_and_lookup")
    journal = own.control.journal()

    own.kill()
    own.start()

    assert own.control.journal() == journal
    assert own.control.payouts() == 2
    sdk = make_sdk(own)
    assert sdk.v1.refunds.create(asked, {"idempotency_key": "k"}).id == refund.id
    with pytest.raises(stripe.APIError):
        sdk.v1.refunds.list()
    assert len(sdk.v1.refunds.list().data) == 2
    assert sdk.v1.charges.retrieve(refund.charge).amount_refunded == 200


@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGINT])
def test_it_ends_at_once_even_with_an_answer_pending_and_connections_open(own, end):
    payment = own.control.payment(1_000)
    own.control.fault("payment.read", "delay", seconds=60)
    idle = socket.create_connection(("127.0.0.1", own.port))
    seen: list[Exception] = []

    def read() -> None:
        try:
            make_sdk(own, time_out_s=30).v1.payment_intents.retrieve(payment["id"])
        except stripe.APIConnectionError as error:
            seen.append(error)

    waiting = Thread(target=read)
    waiting.start()
    while not own.control.journal():
        time.sleep(0.02)
    start = time.monotonic()
    own.process.send_signal(end)
    code = own.process.wait(10)
    took = time.monotonic() - start
    waiting.join(5)
    idle.close()

    assert code == 0
    assert took < 2
    assert len(seen) == 1


GOOD = {"SANDBOX_API_KEY": "sk_test_1", "SANDBOX_TOKEN": "t"}


@pytest.mark.parametrize(
    ("changed", "line"),
    [
        ({"STRIPE_API_KEY": "sk_live_1"}, "STRIPE_API_KEY holds a live provider key"),
        ({"STRIPE_SECRET_KEY": " rk_live_1"}, "STRIPE_SECRET_KEY holds a live provider key"),
        ({"SANDBOX_API_KEY": "sk_live_1"}, "SANDBOX_API_KEY holds a live provider key"),
        ({"OUR_KEY": "sk_live_1"}, "OUR_KEY holds a live provider key"),
        ({"SANDBOX_API_KEY": ""}, "SANDBOX_API_KEY must be set"),
        ({"SANDBOX_TOKEN": ""}, "SANDBOX_TOKEN must be set"),
        ({"KEY_LIFE_S": "a day"}, "KEY_LIFE_S must be a whole number"),
        ({"SANDBOX_WEBHOOK_URL": "http://127.0.0.1:1/"}, "SANDBOX_WEBHOOK_URL needs"),
    ],
)
def test_a_wrong_environment_is_a_reason_not_to_start(changed, line):
    reason = refusal({**GOOD, **changed})

    assert reason is not None
    assert reason.startswith(line)
    assert "live_1" not in reason


def test_a_right_environment_is_no_reason():
    assert refusal(GOOD) is None


def test_a_refusal_to_start_is_one_line_and_makes_no_file(tmp_path):
    refused = run(free_port(), tmp_path / "state", {**GOOD, "STRIPE_API_KEY": "sk_live_1"})

    line = "STRIPE_API_KEY holds a live provider key; the sandbox does not run beside one"
    assert (refused.returncode, refused.stderr) == (2, f"sandbox: {line}\n")
    assert not (tmp_path / "state").exists()


def test_a_taken_port_is_refused_in_one_line(sandbox, tmp_path):
    refused = run(sandbox.port, tmp_path / "other", GOOD)

    line = f"sandbox: port {sandbox.port} on 127.0.0.1: Address already in use\n"
    assert (refused.returncode, refused.stderr) == (2, line)


def test_a_state_folder_in_use_is_refused_in_one_line(sandbox):
    refused = run(free_port(), sandbox.state, GOOD)

    line = f"sandbox: state in {sandbox.state}: database is locked\n"
    assert (refused.returncode, refused.stderr) == (2, line)
