"""What the processes write on the way: enough to follow a refund, nothing to keep from anybody."""

from __future__ import annotations

import json

PERSONAL = "Jane-Doe-of-12-High-Street"


def lines(desk):
    """Every line in the logs of the demo's programs that is one of ours."""
    for log in sorted((desk.stack.data_dir / "logs").glob("*.log")):
        for line in log.read_text(errors="replace").splitlines():
            if line.startswith("{"):
                yield json.loads(line)


def test_a_refund_can_be_followed_through_every_process_by_its_run(desk):
    refund = desk.refund()
    refund.decide("reviewer").raise_for_status()
    refund.when_confirmed()

    about = [line for line in lines(desk) if line.get("correlation_id") == refund.run["id"]]

    said = " ".join(fact for line in about for fact in line.get("facts", []))
    assert {"answered", "recorded", "provider answered"} <= {line["event"] for line in about}
    assert "tool.call.proposed" in said
    assert "tool.attempt.sent" in said
    assert len({line["process"] for line in about}) > 1


def test_no_output_holds_a_secret_or_what_people_and_agents_wrote(desk):
    reasoning = {"summary": PERSONAL, "evidence": [{"label": PERSONAL, "text": PERSONAL}]}
    run = desk.run(goal=PERSONAL, subject={"order_id": "order-of-nobody", "name": PERSONAL})
    refund = desk.refund(run=run, reasoning=reasoning)
    refund.decide("reviewer", note=PERSONAL).raise_for_status()
    refund.when_confirmed()
    desk.stack.api("agent").get("/runs", q=PERSONAL)
    secrets = [*desk.stack.tokens.values(), desk.stack.demo["sandbox_token"]]
    secrets += [key.read_text().strip() for key in (desk.stack.data_dir / "keys").iterdir()]

    written = "".join(
        log.read_text(errors="replace") for log in (desk.stack.data_dir / "logs").iterdir()
    )

    assert [word for word in [PERSONAL, "order-of-nobody", *secrets] if word in written] == []
