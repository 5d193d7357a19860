"""Evidence packs over the API: for admins, and each reading is on record."""

from __future__ import annotations

import pytest

from approvals.models import WorkspaceChange
from tests.console.packs import checked, failures


@pytest.fixture(autouse=True)
def anchors(settings, tmp_path):
    settings.ANCHOR_FILE = tmp_path / "anchors.jsonl"


def taken():
    rows = WorkspaceChange.objects.filter(kind="evidence.taken")
    return list(rows.values_list("subject", "actor", "surface", "token"))


def test_an_admin_s_program_reads_it_and_that_is_on_record(here, approval, tmp_path):
    answer = here.admin.get(f"/approvals/{approval['id']}/evidence")

    assert answer.status_code == 200
    pack = answer.json()
    assert pack["approval"]["id"] == approval["id"]
    assert failures(checked(pack, tmp_path)[1]) == []
    ((subject, actor, surface, token),) = taken()
    assert (subject, actor, surface) == (
        approval["id"],
        f"person:{here.person('admin').pk}",
        "api",
    )
    assert token is not None


@pytest.mark.parametrize("name", ["reviewer", "support", "agent"])
def test_nobody_else_s_program_reads_it_and_nothing_is_recorded(here, approval, name):
    answer = getattr(here, name).get(f"/approvals/{approval['id']}/evidence")

    assert (answer.status_code, answer.json()["code"]) == (403, "not_authorized")
    assert taken() == []
