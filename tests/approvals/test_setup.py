from __future__ import annotations

import pytest

from approvals.errors import NotPossibleError
from approvals.models import Authority, Membership, PolicyVersion
from approvals.rules import activate_policy, withdraw_policy, write_policy
from approvals.selectors import document
from approvals.setup import add_member, create_workspace, set_authority
from approvals.starter import REFUNDS
from approvals.states import Role
from runtime.models import Person, Workspace
from tests.factories import CAPABILITY


def test_the_starting_limits_are_the_ones_the_contract_gives(world):
    rows = Authority.objects.values_list(
        "group__name", "currency", "limit_minor", "day_limit_minor"
    )

    assert sorted(rows) == [
        ("reviewers", "JPY", 150_000, 15_000_000),
        ("reviewers", "KWD", 300_000, 30_000_000),
        ("reviewers", "USD", 100_000, 10_000_000),
        ("seniors", "JPY", 1_500_000, 150_000_000),
        ("seniors", "KWD", 3_000_000, 300_000_000),
        ("seniors", "USD", 1_000_000, 100_000_000),
    ]


def test_the_starting_policy_is_in_force_as_it_was_written(world):
    version = PolicyVersion.objects.get()

    assert (version.name, version.version) == ("refunds", 1)
    assert version.activated_at is not None
    assert document(version) == REFUNDS


def test_a_second_workspace_of_the_same_name_is_refused(world):
    with pytest.raises(NotPossibleError):
        create_workspace("demo", "Another")

    assert Workspace.objects.get().name == "Demo"


def test_a_new_member_gets_an_account_that_nobody_can_sign_in_to_yet(world):
    membership = add_member(world.workspace, "new", Role.REVIEWER, groups=["reviewers"])

    assert not membership.person.has_usable_password()
    assert [each.name for each in membership.groups.all()] == ["reviewers"]


def test_an_account_may_be_a_member_of_two_workspaces(world):
    second = create_workspace("second", "Second")

    membership = add_member(second, "reviewer", Role.ADMIN)

    assert membership.person == world.people["reviewer"]
    assert Membership.objects.filter(person=membership.person).count() == 2


def test_nobody_is_a_member_twice(world):
    with pytest.raises(NotPossibleError):
        add_member(world.workspace, "reviewer", Role.ADMIN)

    assert world.people["reviewer"].memberships.get().role == Role.REVIEWER


@pytest.mark.parametrize(("role", "has_owner"), [(Role.AGENT, False), (Role.REVIEWER, True)])
def test_an_agent_has_an_owner_and_nobody_else_does(world, role, has_owner):
    owner = world.people["admin"] if has_owner else None

    with pytest.raises(NotPossibleError):
        add_member(world.workspace, "new", role, owner=owner)

    assert not Person.objects.filter(username="new").exists()


def test_a_limit_is_replaced_and_not_added(world):
    set_authority(
        world.workspace, "reviewers", CAPABILITY, "USD", limit_minor=None, day_limit_minor=5
    )

    row = Authority.objects.get(group__name="reviewers", currency="USD")
    assert (row.limit_minor, row.day_limit_minor) == (None, 5)


def test_a_group_is_introduced_by_its_first_limit_and_not_by_a_member(world):
    with pytest.raises(NotPossibleError):
        add_member(world.workspace, "new", Role.REVIEWER, groups=["seniors", "juniors"])
    assert not Person.objects.filter(username="new").exists()

    set_authority(world.workspace, "juniors", CAPABILITY, "USD", limit_minor=1, day_limit_minor=1)

    membership = add_member(world.workspace, "new", Role.REVIEWER, groups=["juniors"])
    assert [each.name for each in membership.groups.all()] == ["juniors"]


def test_versions_are_numbered_from_one_by_policy(world):
    admin = world.people["admin"]

    second = write_policy(world.workspace, "refunds", REFUNDS, author=admin)
    other = write_policy(world.workspace, "other", REFUNDS, author=admin)

    assert (second.version, other.version) == (2, 1)


@pytest.mark.parametrize(
    ("stamp", "column"), [(activate_policy, "activated_at"), (withdraw_policy, "withdrawn_at")]
)
def test_a_version_is_activated_and_withdrawn_once(world, stamp, column):
    version = write_policy(world.workspace, "other", REFUNDS, author=world.people["admin"])
    stamp(version)
    first = getattr(version, column)

    stamp(version)

    assert getattr(version, column) == first is not None
