from __future__ import annotations

import pytest

from approvals.models import Authority, WorkspaceChange
from tests.console.api.client import Program
from tests.console.api.requests import recorded

LIMIT = {
    "group": "juniors",
    "capability": "refund-payment",
    "currency": "EUR",
    "limit_minor": 5000,
    "day_limit_minor": None,
}


def test_a_first_limit_introduces_a_group_that_members_can_then_join(here):
    before = here.admin.patch("/members/here-reviewer", {"groups": ["juniors"]})

    answer = here.admin.put("/authority", LIMIT)

    assert before.status_code == 422
    assert (answer.status_code, answer.json()) == (200, LIMIT)
    joined = here.admin.patch("/members/here-reviewer", {"groups": ["juniors"]})
    assert joined.json()["groups"] == ["juniors"]
    assert here.support.get("/authority").json()["items"][0] == LIMIT


def test_a_limit_is_replaced_and_each_change_of_it_is_on_record(here):
    for limit_minor in (5000, 0, 0):
        here.admin.put("/authority", {**LIMIT, "limit_minor": limit_minor})

    assert Authority.objects.get(group__name="juniors").limit_minor == 0
    changes = WorkspaceChange.objects.filter(subject="juniors refund-payment EUR")
    admin = f"person:{here.person('admin').pk}"
    day = {"day_limit_minor": None}
    assert list(changes.order_by("pk").values_list("actor", "before", "after")) == [
        (admin, None, {"limit_minor": 5000, **day}),
        (admin, {"limit_minor": 5000, **day}, {"limit_minor": 0, **day}),
    ]


@pytest.mark.parametrize("through_another", [False, True])
def test_nobody_sets_the_limits_of_their_own_group(here, through_another):
    here.membership("admin").groups.set(here.membership("reviewer").groups.all())
    maker = here.admin
    if through_another:
        body = {"user": here.person("admin2").username, "scopes": ["admin"]}
        maker = Program(here.admin.post("/tokens", body).json()["token"])
    before = recorded()

    answer = maker.put("/authority", {**LIMIT, "group": "reviewers"})

    assert (answer.status_code, answer.json()["code"]) == (403, "conflict_of_interest")
    assert recorded() == before


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"group": ""}, "group"),
        ({"group": "two words"}, "group"),
        ({"group": "g" * 61}, "group"),
        ({"capability": "make-coffee"}, "capability"),
        ({"capability": "refund-payment@1"}, "capability"),
        ({"currency": "eur"}, "currency"),
        ({"limit_minor": -1}, "limit_minor"),
        ({"limit_minor": 1.5}, "limit_minor"),
        ({"limit_minor": True}, "limit_minor"),
        ({"limit_minor": "5"}, "limit_minor"),
        ({"day_limit_minor": 10**15}, "day_limit_minor"),
        ({"limit": 5}, "limit"),
    ],
)
def test_a_limit_with_a_bad_field_is_not_set(here, changes, field):
    before = recorded()

    answer = here.admin.put("/authority", {**LIMIT, **changes})

    assert answer.json()["code"] == "invalid"
    assert [error["field"] for error in answer.json()["errors"]] == [field]
    assert recorded() == before


@pytest.mark.parametrize("missing", ["limit_minor", "day_limit_minor"])
def test_no_limit_is_said_and_not_left_out(here, missing):
    body = {name: value for name, value in LIMIT.items() if name != missing}

    answer = here.admin.put("/authority", body)

    assert answer.json()["errors"] == [{"field": missing, "detail": "Field required"}]
    assert not Authority.objects.filter(group__name="juniors").exists()
