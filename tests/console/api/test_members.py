from __future__ import annotations

import pytest

from approvals.models import AccessToken, Approval, Membership, WorkspaceChange
from runtime.gates import Lost
from runtime.models import Person
from tests.console.api.client import Program, code
from tests.console.api.requests import propose, recorded, start
from tests.factories import observe, spend


def change(here, name, by="admin", **changes):
    return getattr(here, by).patch(f"/members/{here.person(name).username}", changes)


def terms(here):
    rows = Membership.objects.filter(workspace=here.workspace).order_by("pk")
    return [
        (row.role, row.active, row.owner_id, sorted(row.groups.values_list("name", flat=True)))
        for row in rows
    ]


def grant(here):
    """An approval by the reviewer that would be spent: its facts are fresh and good."""
    call = propose(here.agent, start(here.agent))
    approval = here.reviewer.get(f"/approvals/{call['approval']}").json()
    seen = {"revision": approval["revision"], "digest": approval["digest"]}
    decision = {"command_id": "d", "decision": "approve", **seen}
    here.reviewer.post(f"/approvals/{approval['id']}/decisions", decision)
    granted = Approval.objects.get(pk=approval["id"])
    assert granted.status == "granted"
    observe(granted.tool_call)
    return granted


def test_members_are_listed_newest_first_in_pages_that_stay_put(here):
    here.person("support")
    first = here.admin.get("/members", {"limit": 2}).json()

    here.person("admin2")
    rest = here.admin.get("/members", {"cursor": first["next"]}).json()

    assert first["items"][0] == {
        "username": "here-support",
        "role": "support",
        "owner": None,
        "groups": [],
        "active": True,
    }
    names = [member["username"] for member in first["items"] + rest["items"]]
    assert names == ["here-support", "here-reviewer", "here-agent", "here-admin"]
    assert rest["next"] is None
    agent = next(one for one in rest["items"] if one["username"] == "here-agent")
    assert agent["owner"] == "here-admin"


def test_only_what_is_named_of_a_member_changes_and_who_did_it_is_on_record(here):
    answer = change(here, "reviewer", groups=["seniors", "seniors"])

    assert answer.json() == {
        "username": "here-reviewer",
        "role": "reviewer",
        "owner": None,
        "groups": ["seniors"],
        "active": True,
    }
    kept = WorkspaceChange.objects.get(kind="member.changed")
    admin = AccessToken.objects.get(person=here.person("admin"))
    assert (kept.actor, kept.surface, kept.token) == (
        f"person:{here.person('admin').pk}",
        "api",
        admin.pk,
    )
    assert kept.subject == str(here.person("reviewer").pk)
    terms = {"role": "reviewer", "owner": None, "active": True}
    assert kept.before == {**terms, "groups": ["reviewers"]}
    assert kept.after == {**terms, "groups": ["seniors"]}


@pytest.mark.parametrize(
    "changes", [{}, {"active": True}, {"role": "reviewer", "groups": ["reviewers"]}]
)
def test_a_change_that_changes_nothing_leaves_no_record(here, changes):
    before = recorded()

    assert change(here, "reviewer", **changes).status_code == 200
    assert recorded() == before


def test_a_role_taken_or_given_holds_from_the_next_request_on(here):
    assert here.reviewer.get("/tokens").status_code == 403

    change(here, "reviewer", role="admin")

    assert here.reviewer.get("/policies").status_code == 200
    assert Program(here.token("reviewer", "admin")).get("/tokens").status_code == 200


def test_a_deactivated_members_tokens_pages_and_grants_are_worth_nothing(here, client):
    granted = grant(here)
    client.force_login(here.person("reviewer"))
    assert client.get("/w/here/").status_code == 200

    change(here, "reviewer", active=False)

    assert here.reviewer.get("/runs").status_code == 401
    assert client.get("/w/here/").status_code == 404
    assert isinstance(spend(granted.tool_call), Lost)
    granted.refresh_from_db()
    assert (granted.status, granted.settled_code) == ("invalidated", "approver_left")


def test_a_lowered_limit_takes_unspent_grants_along(here):
    granted = grant(here)
    limit = {"group": "reviewers", "capability": "refund-payment", "currency": "USD"}

    here.admin.put("/authority", {**limit, "limit_minor": 499, "day_limit_minor": None})

    assert isinstance(spend(granted.tool_call), Lost)
    granted.refresh_from_db()
    assert (granted.status, granted.settled_code) == ("invalidated", "limit_lowered")


def test_a_deactivated_member_comes_back_as_they_were(here):
    for active in (False, True):
        change(here, "reviewer", active=active)

    assert here.reviewer.get("/runs").status_code == 200


@pytest.mark.parametrize(
    "changes", [{"role": "reviewer"}, {"active": False}, {"groups": ["seniors"]}, {}]
)
def test_nobody_changes_their_own_membership(here, changes):
    here.person("admin2")
    kept, before = terms(here), recorded()

    assert code(change(here, "admin", **changes)) == (403, "conflict_of_interest")
    assert (terms(here), recorded()) == (kept, before)


def test_nobody_changes_their_own_membership_through_a_token_they_made_for_another(here):
    user = here.person("admin2").username
    secret = here.admin.post("/tokens", {"user": user, "scopes": ["admin"]}).json()["token"]
    before = recorded()

    answer = Program(secret).patch("/members/here-admin", {"role": "reviewer"})

    assert code(answer) == (403, "conflict_of_interest")
    assert here.membership("admin").role == "admin"
    assert recorded() == before


@pytest.mark.parametrize("changes", [{"role": "support"}, {"active": False}])
def test_the_last_active_admin_stays(here, changes):
    gone = here.person("admin2")
    Person.objects.filter(pk=gone.pk).update(is_active=False)
    kept, before = terms(here), recorded()

    assert code(change(here, "admin", **changes)) == (409, "last_admin")
    assert (terms(here), recorded()) == (kept, before)


def test_an_admin_removes_another_and_then_is_the_last(here):
    other = here.admin2

    assert change(here, "admin2", active=False).status_code == 200

    assert other.get("/runs").status_code == 401
    assert code(change(here, "admin", active=False)) == (409, "last_admin")


@pytest.mark.parametrize(
    ("name", "changes", "field"),
    [
        ("reviewer", {"groups": ["seniors", "nobodys"]}, "groups"),
        ("reviewer", {"groups": ["seniors"], "role": "agent"}, "role"),
        ("agent", {"active": False, "role": "support"}, "role"),
        ("reviewer", {"role": "owner"}, "role"),
        ("reviewer", {"active": "no"}, "active"),
        ("reviewer", {"active": 0}, "active"),
        ("reviewer", {"groups": "seniors"}, "groups"),
        ("reviewer", {"groups": ["two words"]}, "groups.0"),
        ("reviewer", {"owner": "here-admin"}, "owner"),
        ("reviewer", {"username": "another"}, "username"),
    ],
)
def test_a_member_with_a_bad_field_is_left_alone(here, name, changes, field):
    here.person(name)
    kept, before = terms(here), recorded()

    answer = change(here, name, **changes)

    assert code(answer) == (422, "invalid")
    assert [error["field"] for error in answer.json()["errors"]] == [field]
    assert (terms(here), recorded()) == (kept, before)


def test_a_stranger_is_not_found_like_a_member_of_another_workspace(here, elsewhere):
    stranger = Person.objects.create_user("stranger").username
    names = [stranger, elsewhere.person("agent").username, "nobody"]
    before = recorded()

    answers = [here.admin.patch(f"/members/{name}", {"active": False}) for name in names]

    assert [code(answer) for answer in answers] == [(404, "not_found")] * 3
    assert recorded() == before
