from __future__ import annotations

import pytest

from approvals.access import bearer_of
from approvals.models import AccessToken, Authority, Membership, PolicyVersion
from console.demo.credentials import ACCOUNT, Credentials
from console.demo.seed import seed
from runtime.data_keys import unseal
from runtime.models import Person, ProviderAccount

pytestmark = pytest.mark.django_db


def known(token):
    """The name and the scopes that a token stands for."""
    found = bearer_of(token)
    return found and (found.actor.person.username, sorted(found.scopes))


def keys(number):
    return Credentials(
        api_key=f"sk_test_{number}", control_token="", webhook_secret=f"whsec_{number}"
    )


def seeded(tokens=None):
    return seed(tokens or {}, sandbox_url="http://127.0.0.1:8001", keys=keys(1))


def test_everybody_of_the_demo_has_their_role_group_and_password():
    seeded()

    rows = Membership.objects.filter(workspace__slug="demo").select_related("person", "owner")
    people = {
        row.person.username: (row.role, [group.name for group in row.groups.all()]) for row in rows
    }
    assert people == {
        "reviewer": ("reviewer", ["reviewers"]),
        "reviewer2": ("reviewer", ["reviewers"]),
        "senior": ("reviewer", ["seniors"]),
        "support": ("support", []),
        "admin": ("admin", []),
        "admin2": ("admin", []),
        "agent": ("agent", []),
    }
    signing_in = [row.person.username for row in rows if row.person.check_password("demo")]
    assert sorted(signing_in) == sorted(set(people) - {"agent"})
    assert [row.owner.username for row in rows if row.owner] == ["admin"]


def test_each_token_has_every_scope_its_role_can_use():
    tokens = seeded()

    assert {name: known(token) for name, token in tokens.items()} == {
        "reviewer": ("reviewer", ["decide", "read"]),
        "reviewer2": ("reviewer2", ["decide", "read"]),
        "senior": ("senior", ["decide", "read"]),
        "support": ("support", ["read"]),
        "admin": ("admin", ["admin", "decide", "read"]),
        "admin2": ("admin2", ["admin", "decide", "read"]),
        "agent": ("agent", ["propose", "read"]),
    }


def test_the_agents_owner_made_its_token_and_wrote_the_policy():
    seeded()

    admin = Person.objects.get(username="admin")
    assert AccessToken.objects.get(person__username="agent").creator == admin
    policy = PolicyVersion.objects.get()
    assert (policy.name, policy.version, policy.author) == ("refunds", 1, admin)
    assert policy.activated_at is not None


def test_the_limits_are_those_of_the_contract():
    seeded()

    limits = {
        (row.group.name, row.currency): (row.limit_minor, row.day_limit_minor)
        for row in Authority.objects.select_related("group")
    }
    assert limits == {
        ("reviewers", "USD"): (100_000, 10_000_000),
        ("reviewers", "JPY"): (150_000, 15_000_000),
        ("reviewers", "KWD"): (300_000, 30_000_000),
        ("seniors", "USD"): (1_000_000, 100_000_000),
        ("seniors", "JPY"): (1_500_000, 150_000_000),
        ("seniors", "KWD"): (3_000_000, 300_000_000),
    }


def test_the_providers_secrets_are_sealed_and_follow_the_sandbox():
    seeded()

    seed({}, sandbox_url="http://127.0.0.1:9001", keys=keys(2))

    account = ProviderAccount.objects.get()
    assert account.api_base == "http://127.0.0.1:9001"
    assert b"sk_test_2" not in bytes(account.secret)
    assert unseal(bytes(account.secret)) == "sk_test_2"
    assert account.webhook_secret is not None
    assert unseal(bytes(account.webhook_secret)) == "whsec_2"
    assert account.pk == ACCOUNT


def test_seeding_again_keeps_tokens_and_what_people_changed():
    tokens = seeded()
    Membership.objects.filter(person__username="support").update(role="reviewer")

    again = seeded(tokens)

    assert again == tokens
    assert AccessToken.objects.count() == len(tokens)
    assert Membership.objects.get(person__username="support").role == "reviewer"


def test_a_token_nobody_knows_any_more_is_replaced():
    tokens = seeded()

    again = seeded(tokens | {"senior": "cst_of_another_database"})

    assert again["senior"] not in {"cst_of_another_database", tokens["senior"]}
    assert known(again["senior"]) == ("senior", ["decide", "read"])


def test_a_member_who_was_let_go_gets_no_new_token():
    tokens = seeded()
    Membership.objects.filter(person__username="reviewer").update(active=False)

    again = seeded(tokens)

    assert again == tokens
    assert known(again["reviewer"]) is None
