"""A refund agent in plain Python: its judgement comes with the ticket, the rest is any agent's."""

from __future__ import annotations

from typing import Any

import requests

WITHOUT_EFFECT = {"refused", "cancelled", "aborted", "failed"}


def intent_of(ref: str, number: int) -> str:
    """Name a refund by what it is for, so that proposing it again is the same proposal."""
    return f"{ref}:refund-{number}"


def proposal(ticket: dict[str, Any], number: int, refund: dict[str, Any]) -> dict[str, Any]:
    evidence = [{"label": f"Ticket {ticket['ref']}", "text": ticket["message"]}]
    return {
        "capability": "refund-payment",
        "intent": intent_of(ticket["ref"], number),
        "arguments": {"payment": ticket["payment"]} | {k: refund[k] for k in ("amount", "reason")},
        "turn_id": f"{ticket['ref']}:turn-1",
        "decide_within_s": refund.get("decide_within_s"),
        "reasoning": {"summary": refund["summary"], "evidence": evidence + refund["evidence"]},
    }


def work(ticket: dict[str, Any], api: str, token: str) -> str:
    """Work a ticket to its end; after a crash begin again, and the same run goes on."""

    def ask(method: str, path: str, body: object = None, **headers: str) -> Any:  # noqa: ANN401
        headers["Authorization"] = f"Bearer {token}"
        answer = requests.request(method, api + path, json=body, headers=headers, timeout=60)
        answer.raise_for_status()
        return answer.json()

    def settled(call: dict[str, Any]) -> dict[str, Any]:
        while call["execution_status"] not in WITHOUT_EFFECT:
            if call["verification_status"].startswith("confirmed"):
                break
            call = ask("GET", f"/tool-calls/{call['id']}?wait=20&after={call['position']}")
        return call

    body = {"agent": "refund-desk", "harness": "external", "subject": {"order_id": ticket["order"]}}
    body |= {"goal": ticket["goal"], "success_criterion": ticket["success_criterion"]}
    body |= {"ticket": {"ref": ticket["ref"], "author": ticket["author"]}}
    run = ask("POST", "/runs", body, **{"Idempotency-Key": ticket["ref"]})["id"]
    proposals = [proposal(ticket, *each) for each in enumerate(ticket["refunds"], 1)]
    calls = [ask("POST", f"/runs/{run}/tool-calls", each) for each in proposals]
    told = " ".join(settled(call)["told"]["sentence"] for call in calls)
    finish = {"command_id": f"{ticket['ref']}:finish", "kind": "finish", "outcome": told}
    ask("POST", f"/runs/{run}/commands", finish)
    return told
