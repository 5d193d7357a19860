from __future__ import annotations

import pytest

from approvals.models import PolicyVersion, WorkspaceChange
from approvals.rules import write_policy
from approvals.starter import REFUNDS
from runtime.gates import Lost
from runtime.models import Receipt
from tests.console.api.client import Program, code
from tests.console.api.requests import propose, recorded, start
from tests.console.api.test_members import grant
from tests.factories import spend

DOCUMENT = REFUNDS.model_dump(mode="json")


def write(here, name="refunds", by="admin", **changes):
    return getattr(here, by).post(f"/policies/{name}/versions", {**DOCUMENT, **changes})


def move(program, kind, version, name="refunds", /, **changes):
    body = {"command_id": f"{kind}-{version}", "version": version, "reason": "We agreed."}
    return program.post(f"/policies/{name}/{kind}", {**body, **changes})


def in_force(here, name="refunds"):
    versions = here.support.get(f"/policies/{name}/versions").json()["items"]
    return [each["version"] for each in versions if each["in_force"]]


def needed(here, order):
    call = propose(here.agent, start(here.agent, subject={"order_id": order}), intent=order)
    approval = here.reviewer.get(f"/approvals/{call['approval']}").json()
    return approval["policy"]["version"], approval["votes"]["needed"]


def test_a_version_is_written_by_one_admin_and_put_in_force_by_another(here):
    written = write(here, needs=2)

    assert written.status_code == 201
    assert written.json() == {
        "name": "refunds",
        "version": 2,
        "document": {**DOCUMENT, "needs": 2},
        "author": "here-admin",
        "written_at": written.json()["written_at"],
        "activated_at": None,
        "withdrawn_at": None,
        "in_force": False,
    }
    assert needed(here, "before") == (1, 1)
    receipt = move(here.admin2, "activations", 2).json()
    assert (receipt["status"], receipt["kind"]) == ("applied", "activate_policy")
    assert in_force(here) == [2]
    assert needed(here, "after") == (2, 2)


def test_its_author_puts_no_version_in_force(here):
    write(here)

    answer = move(here.admin, "activations", 2)

    assert code(answer) == (403, "conflict_of_interest")
    assert in_force(here) == [1]
    receipt = here.admin.get("/commands/activations-2").json()
    assert (receipt["status"], receipt["code"]) == ("refused", "conflict_of_interest")


def test_its_author_puts_no_version_in_force_through_a_token_made_for_another(here):
    write(here)
    body = {"user": here.person("admin2").username, "scopes": ["admin"]}
    borrowed = Program(here.admin.post("/tokens", body).json()["token"])

    assert code(move(borrowed, "activations", 2)) == (403, "conflict_of_interest")
    assert in_force(here) == [1]
    assert move(here.admin2, "activations", 2, command_id="own").status_code == 200


def test_its_author_puts_no_version_in_force_that_they_wrote_with_a_token_made_for_another(here):
    body = {"user": here.person("admin2").username, "scopes": ["admin"]}
    borrowed = Program(here.admin.post("/tokens", body).json()["token"])
    borrowed.post("/policies/refunds/versions", DOCUMENT)

    assert code(move(here.admin, "activations", 2)) == (403, "conflict_of_interest")
    assert code(move(here.admin2, "activations", 2)) == (403, "conflict_of_interest")
    assert in_force(here) == [1]


def test_what_the_operator_wrote_is_put_in_force_by_any_admin(here):
    write_policy(here.workspace, "refunds", REFUNDS, author=None)

    assert move(here.admin, "activations", 2).status_code == 200
    assert here.admin.get("/policies").json()["items"][0]["author"] is None


@pytest.mark.parametrize(
    ("kind", "code"), [("activations", "policy_changed"), ("withdrawals", "policy_withdrawn")]
)
def test_a_version_replaced_or_withdrawn_takes_unspent_grants_along(here, kind, code):
    granted = grant(here)
    write(here)

    answer = move(here.admin2, kind, 2 if kind == "activations" else 1)

    assert answer.status_code == 200
    assert isinstance(spend(granted.tool_call), Lost)
    granted.refresh_from_db()
    assert (granted.status, granted.settled_code) == ("invalidated", code)


def test_with_the_only_version_withdrawn_nothing_may_leave(here):
    move(here.admin, "withdrawals", 1)

    call = propose(here.agent, start(here.agent))

    assert (call["execution_status"], in_force(here)) == ("refused", [])


def test_a_withdrawal_puts_the_version_before_back_in_force(here):
    write(here, needs=2)
    move(here.admin2, "activations", 2)

    move(here.admin, "withdrawals", 2)

    assert in_force(here) == [1]


def test_the_same_command_again_is_answered_as_before(here):
    write(here)

    first, again = (move(here.admin2, "activations", 2) for _ in range(2))
    other = move(here.admin2, "activations", 2, reason="Another reason.")

    assert again.json() == {**first.json(), "replayed": True}
    assert code(other) == (422, "idempotency_mismatch")
    assert Receipt.objects.filter(kind="activate_policy").count() == 1


def test_a_version_moves_once_each_way_and_only_forward(here):
    for _ in range(3):
        write(here)
    answers = [
        move(here.admin2, "activations", 3),
        move(here.admin2, "activations", 3, command_id="again"),
        move(here.admin2, "activations", 2),
        move(here.admin2, "withdrawals", 4),
        move(here.admin2, "withdrawals", 4, command_id="once more"),
        move(here.admin2, "activations", 4),
    ]

    assert [(answer.status_code, answer.json()["code"]) for answer in answers] == [
        (200, "ok"),
        (409, "already_active"),
        (409, "not_newer"),
        (200, "ok"),
        (409, "already_withdrawn"),
        (409, "already_withdrawn"),
    ]
    assert answers[2].json()["in_force"] == {"name": "refunds", "version": 3}
    assert in_force(here) == [3]


def test_no_two_policies_cover_one_capability(here):
    write(here, "rival")

    answer = move(here.admin2, "activations", 1, "rival")

    assert code(answer) == (409, "rival_policies")
    assert answer.json()["in_force"] == {"name": "refunds", "version": 1}
    move(here.admin2, "withdrawals", 1)
    assert move(here.admin2, "activations", 1, "rival", command_id="b").status_code == 200
    assert in_force(here, "rival") == [1]


def test_who_wrote_activated_and_withdrew_is_on_record(here):
    write(here)
    move(here.admin2, "activations", 2)
    move(here.admin, "withdrawals", 2)

    version = PolicyVersion.objects.get(workspace=here.workspace, version=2)
    changes = WorkspaceChange.objects.filter(subject=str(version.pk)).order_by("pk")
    author, other = (f"person:{here.person(name).pk}" for name in ("admin", "admin2"))
    assert list(changes.values_list("kind", "actor")) == [
        ("policy.written", author),
        ("policy.activated", other),
        ("policy.withdrawn", author),
    ]


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"needs": 0}, "needs"),
        ({"capability": "make-coffee"}, "capability"),
        ({"use_within_s": 30}, "body"),
        ({"automatic": {"usd": 5}}, "automatic.usd.[key]"),
        ({"max_minor": {"USD": 0}}, "max_minor.USD"),
        ({"require_surface": "api"}, "require_surface"),
        ({"version": 7}, "version"),
    ],
)
def test_a_version_with_a_bad_field_is_not_written(here, changes, field):
    before = recorded()

    answer = write(here, **changes)

    assert code(answer) == (422, "invalid")
    assert [error["field"] for error in answer.json()["errors"]] == [field]
    assert recorded() == before


@pytest.mark.parametrize("kind", ["activations", "withdrawals"])
@pytest.mark.parametrize(
    ("changes", "field"),
    [({"version": 9}, "version"), ({"version": "1"}, "version"), ({"reason": ""}, "reason")],
)
def test_a_move_with_a_bad_field_leaves_no_receipt(here, kind, changes, field):
    before = recorded()

    answer = move(here.admin, kind, 1, **changes)

    assert code(answer) == (422, "invalid")
    assert [error["field"] for error in answer.json()["errors"]] == [field]
    assert recorded() == before


def test_a_policy_nobody_wrote_is_not_found(here):
    answers = [
        here.admin.get("/policies/nobodys/versions"),
        move(here.admin, "activations", 1, "nobodys"),
        move(here.admin, "withdrawals", 1, "nobodys"),
        write(here, "n" * 61),
    ]

    assert {code(answer) for answer in answers} == {(404, "not_found")}
