"""Evidence of an approval whose arguments are too large for the log."""

from __future__ import annotations

import pytest

from approvals.models import Approval
from console.anchors import anchoring
from runtime.models import PersonalText
from tests.console.packs import checked, failures, pack_of
from tests.factories import make_call, reject
from tests.letters import LETTER, NAME, letter_arguments, permit, plug_in
from tests.runtime.anchors.lab import anchored


@pytest.fixture
def approval(world, monkeypatch, settings, tmp_path):
    settings.ANCHOR_FILE = tmp_path / "anchors.jsonl"
    plug_in(monkeypatch)
    permit(world.workspace)
    call = make_call(world, capability=NAME, arguments=letter_arguments())
    approval = Approval.objects.get(tool_call=call)
    reject(world, "reviewer", approval)
    anchored(anchoring())
    approval.refresh_from_db()
    return approval


def test_the_letter_is_in_the_pack_and_bound_by_the_digest(approval, tmp_path):
    pack = pack_of(approval)

    assert pack["arguments"]["letter"] == LETTER
    assert failures(checked(pack, tmp_path)[1]) == []


def test_another_letter_in_the_pack_is_found(approval, tmp_path):
    pack = pack_of(approval)
    for shown in (pack, pack["call"]):
        shown["arguments"]["letter"] = "Dear customer, no."

    found = failures(checked(pack, tmp_path)[1])

    assert len(found) == 2
    assert "question: its digest is over what was asked" in " ".join(found)


def test_an_erased_letter_leaves_the_rest_to_be_checked(approval, tmp_path):
    PersonalText.objects.filter(pk=approval.artifact).update(ciphertext=None, digest_key=None)

    pack = pack_of(approval)

    _, said = checked(pack, tmp_path)
    assert pack["arguments"] is None
    assert failures(said) == []
    assert any("question: its digest" in line for line in said)
