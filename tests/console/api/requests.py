"""Requests as a well-behaved agent sends them, and what they leave behind."""

from __future__ import annotations

from typing import Any

from approvals.models import (
    AccessToken,
    Approval,
    Authority,
    LimitGroup,
    PolicyVersion,
    Vote,
    WorkspaceChange,
)
from runtime.models import Event, Outbox, PersonalText, Receipt, RequestKey, Run, Timer, ToolCall

RECORDS = (
    AccessToken, Approval, Authority, Event, LimitGroup, Outbox, PersonalText, PolicyVersion,
    Receipt, RequestKey, Run, Timer, ToolCall, Vote, WorkspaceChange,
)  # fmt: skip


def run_body(**changes) -> dict[str, Any]:
    return {
        "agent": "refund-agent",
        "goal": "Answer the ticket about order-001.",
        "success_criterion": "The customer has an answer.",
        "subject": {"order_id": "order-001"},
        "harness": "external",
        **changes,
    }


def call_body(**changes) -> dict[str, Any]:
    return {
        "capability": "refund-payment",
        "intent": "order-001 damaged item",
        "arguments": refund(),
        "reasoning": {
            "summary": "The item arrived damaged.",
            "evidence": [{"label": "Photo", "url": "https://shop.example/photo/1"}],
        },
        **changes,
    }


def refund(minor: Any = 500, currency: Any = "USD", **changes) -> dict[str, Any]:
    return {
        "payment": "pi_1",
        "amount": {"minor": minor, "currency": currency},
        "reason": "requested_by_customer",
        **changes,
    }


def start(program, **changes):
    answer = program.post("/runs", run_body(**changes))
    assert answer.status_code == 201, answer.content
    return answer.json()["id"]


def propose(program, run, **changes):
    answer = program.post(f"/runs/{run}/tool-calls", call_body(**changes))
    assert answer.status_code == 201, answer.content
    return answer.json()


def decide(program, approval, decision="approve", command_id="decision-1", **changes):
    body = {
        "command_id": command_id,
        "decision": decision,
        "revision": approval["revision"],
        "digest": approval["digest"],
    }
    return program.post(f"/approvals/{approval['id']}/decisions", {**body, **changes})


def revoke(program, approval, command_id="revocation-1", reason="Second thoughts."):
    body = {"command_id": command_id, "reason": reason}
    return program.post(f"/approvals/{approval['id']}/revocations", body)


def recorded() -> dict[str, int]:
    """How much there is of everything that a request could have written."""
    return {model.__name__: model.objects.count() for model in RECORDS}
