"""Admins who act at the same moment: one order, one outcome, never a lock-out."""

from __future__ import annotations

import pytest

from approvals.models import Membership, PolicyVersion, WorkspaceChange
from approvals.rules import write_policy
from approvals.selectors import policies_in_force
from approvals.starter import REFUNDS
from tests.console.api.client import Program
from tests.console.api.conftest import Place
from tests.console.api.test_races import at_once

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.drill]
ROUNDS = 12


def move(secret, name, version):
    body = {"command_id": "c", "version": version, "reason": "We agreed."}
    return lambda: Program(secret).post(f"/policies/{name}/activations", body)


def two_admins():
    place = Place("here")
    return place, [place.token(name, "admin") for name in ("admin", "admin2")]


@pytest.mark.parametrize("number", range(ROUNDS))
def test_of_two_versions_activated_at_once_the_newer_is_in_force(number):
    place, secrets = two_admins()
    for _ in range(2):
        write_policy(place.workspace, "refunds", REFUNDS, author=None)

    answers = at_once(*map(move, secrets, ["refunds"] * 2, [2, 3] if number % 2 else [3, 2]))

    (ruling,) = policies_in_force(place.workspace.pk, "refund-payment")
    assert ruling.version == 3
    older = answers[0 if number % 2 else 1]
    assert (older.status_code, older.json()["code"]) in {(200, "ok"), (409, "not_newer")}
    stamped = PolicyVersion.objects.filter(version=2, activated_at__isnull=False).exists()
    assert stamped == (older.status_code == 200)


@pytest.mark.parametrize("_number", range(ROUNDS))
def test_of_two_policies_activated_at_once_for_one_capability_one_is_in_force(_number):
    place, secrets = two_admins()
    PolicyVersion.objects.update(activated_at=None)
    write_policy(place.workspace, "rival", REFUNDS, author=None)
    PolicyVersion.objects.update(author=None)

    answers = at_once(*map(move, secrets, ["refunds", "rival"], [1, 1]))

    assert len(policies_in_force(place.workspace.pk, "refund-payment")) == 1
    codes = sorted(answer.json()["code"] for answer in answers)
    assert codes == ["ok", "rival_policies"]


@pytest.mark.parametrize("_number", range(ROUNDS))
def test_of_two_admins_who_remove_each_other_at_once_one_stays(_number):
    _, secrets = two_admins()
    names = ["here-admin2", "here-admin"]

    answers = at_once(
        *[
            lambda secret=secret, name=name: Program(secret).patch(
                f"/members/{name}", {"active": False}
            )
            for secret, name in zip(secrets, names, strict=True)
        ]
    )

    assert Membership.objects.filter(role="admin", active=True).count() == 1
    statuses = sorted(answer.status_code for answer in answers)
    assert statuses in ([200, 401], [200, 403])
    assert WorkspaceChange.objects.filter(kind="member.changed").count() == 1
