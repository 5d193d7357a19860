"""Who may ask what of each route, as the table of docs/api.md says: one line each.

A route that is added gets its line here; until then `test_every_route` fails.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from approvals.starter import REFUNDS
from tests.console.api.requests import call_body, run_body

# A role, and the scopes of which one is enough. Every token reads.
Allowed = Mapping[str, frozenset[str]]
Body = Callable[[Mapping[str, Any]], dict[str, Any]]


def allowed(**scopes: str) -> Allowed:
    return {role: frozenset(named.split()) for role, named in scopes.items()}


ROLES = ("support", "reviewer", "admin", "agent")
READ = allowed(**dict.fromkeys(ROLES, "read"))
PEOPLE = allowed(support="read", reviewer="read", admin="read")
WORK = allowed(agent="propose")
STEER = allowed(agent="propose", reviewer="decide", admin="decide admin")
DECIDE = allowed(reviewer="decide")
REVOKE = allowed(reviewer="decide", admin="decide admin")
ADMIN = allowed(admin="admin")
SESSION = allowed(agent="read", admin="admin")
GRADING = allowed(reviewer="read", admin="read", agent="read")


@dataclass(frozen=True, kw_only=True)
class Line:
    """One route and method; `{name}` in a path is filled from the world's ids.

    `ok` is the answer to who may ask, but for whom the handler itself refuses. A path without
    ids, or one that makes what it names, hides nothing of another workspace.
    """

    method: str
    route: str
    may: Allowed
    body: Body | None = None
    ok: int = 200
    handler: Mapping[str, int] = field(default_factory=dict)
    hides: bool = True

    def __str__(self) -> str:
        return f"{self.method} {self.route}"


def line(method: str, route: str, may: Allowed, body: Body | None = None, **more: Any) -> Line:
    return Line(method=method, route=route, may=may, body=body, **more)


def erasure(_ids: Mapping[str, Any]) -> dict[str, Any]:
    return {"command_id": "c", "customer": "somebody nobody knows", "reason": "asked"}


def command(kind: str, *fields: str) -> Body:
    return lambda ids: {"command_id": "c", "kind": kind, **{name: ids[name] for name in fields}}


def decision(ids: Mapping[str, Any]) -> dict[str, Any]:
    seen = {"revision": ids["revision"], "digest": ids["digest"]}
    return {"command_id": "c", "decision": "approve", **seen}


def items(_ids: Mapping[str, Any]) -> dict[str, Any]:
    return {"base_revision": 0, "attempt_token": "t", "items": [{"role": "user"}]}


def repair(_ids: Mapping[str, Any]) -> dict[str, Any]:
    return {"command_id": "c", "action": "adopt_observed", "reason": "Because."}


def settlement(_ids: Mapping[str, Any]) -> dict[str, Any]:
    return {"command_id": "c", "outcome": "failed", "evidence": "None.", "reason": "None."}


def observation(_ids: Mapping[str, Any]) -> dict[str, Any]:
    return {"command_id": "c", "status": "confirmed_success", "evidence": "None."}


def reason(_ids: Mapping[str, Any]) -> dict[str, Any]:
    return {"command_id": "c", "reason": "Because."}


def version(_ids: Mapping[str, Any]) -> dict[str, Any]:
    return {"command_id": "c", "version": 1, "reason": "Because."}


def limit(_ids: Mapping[str, Any]) -> dict[str, Any]:
    of = {"group": "reviewers", "capability": "refund-payment", "currency": "EUR"}
    return {**of, "limit_minor": 1, "day_limit_minor": None}


PUBLIC = {
    ("GET", "healthz"),
    ("GET", "readyz"),
    ("GET", "schema/"),
    ("GET", "docs/"),
    ("GET", "event-types"),
    ("GET", "event-types/{event_type}/versions/{version}"),
    # Signed instead, whoever sends it.
    ("POST", "webhooks/stripe/{account}"),
}
LINES = (
    line("GET", "events", PEOPLE),
    line("GET", "runs", READ),
    line("POST", "runs", WORK, lambda _: run_body(), ok=201),
    line("GET", "runs/{run_id}", READ),
    line("GET", "runs/{run_id}/events", READ),
    line("GET", "runs/{run_id}/audit", ADMIN),
    line("GET", "runs/{run_id}/trajectory", GRADING),
    line("GET", "events/{event_id}", READ),
    line("GET", "events/{event_id}/causes", READ),
    line("GET", "events/{event_id}/effects", READ),
    line("GET", "runs/{run_id}/artifacts/{artifact_id}", READ),
    line("POST", "runs/{run_id}/tool-calls", WORK, lambda _: call_body(intent="i"), ok=201),
    line("POST", "runs/{run_id}/commands", STEER, command("stop")),
    line("POST", "runs/{run_id}/commands", STEER, command("resume")),
    line("POST", "runs/{run_id}/commands", STEER, command("retry", "tool_call"), ok=409),
    line("POST", "runs/{run_id}/commands", WORK, command("withdraw", "tool_call")),
    line("POST", "runs/{run_id}/commands", WORK, command("finish")),
    line("POST", "runs/{run_id}/continuations", WORK, lambda _: {}),
    line("GET", "runs/{run_id}/continuations", READ),
    line("GET", "runs/{run_id}/session", SESSION),
    line("POST", "runs/{run_id}/session/appends", WORK, items, ok=201),
    # A session that is as its run left it needs no repair.
    line("POST", "runs/{run_id}/session-repairs", ADMIN, repair, ok=409),
    line("GET", "tool-calls/{call_id}", READ),
    # A call that waits for a decision is on nobody's desk, and nothing of it can be seen yet.
    line("POST", "tool-calls/{call_id}/settlements", ADMIN, settlement, ok=409),
    line("POST", "tool-calls/{call_id}/observations", ADMIN, observation, ok=409),
    line("GET", "approvals", READ),
    line("GET", "approvals/{approval_id}", READ),
    line("GET", "approvals/{approval_id}/evidence", ADMIN),
    line("POST", "approvals/{approval_id}/decisions", DECIDE, decision),
    line("POST", "approvals/{approval_id}/revocations", REVOKE, reason, handler={"reviewer": 403}),
    # A receipt is its actor's alone, and nobody here has sent this command.
    line("GET", "commands/{command_id}", READ, ok=404),
    line("POST", "erasures", ADMIN, erasure, ok=409, hides=False),
    line("GET", "members", ADMIN),
    line("PATCH", "members/{username}", ADMIN, lambda _: {"groups": []}),
    line("GET", "authority", PEOPLE),
    line("PUT", "authority", ADMIN, limit),
    line("GET", "policies", PEOPLE),
    line("GET", "policies/{name}/versions", PEOPLE),
    line(
        "POST",
        "policies/{name}/versions",
        ADMIN,
        lambda _: REFUNDS.model_dump(mode="json"),
        ok=201,
        hides=False,
    ),
    line("POST", "policies/{name}/activations", ADMIN, version),
    line("POST", "policies/{name}/withdrawals", ADMIN, version),
    line("GET", "tokens", ADMIN),
    line(
        "POST",
        "tokens",
        ADMIN,
        lambda ids: {"user": ids["username"], "scopes": ["read"]},
        ok=201,
    ),
    line("DELETE", "tokens/{token_id}", ADMIN, ok=204),
)
