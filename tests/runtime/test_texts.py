from __future__ import annotations

import pytest

from runtime import data_keys, erasing, texts
from runtime.canonical import keyed_digest
from runtime.models import Event, PersonalText
from runtime.verify import log_differences
from tests.runtime.logs import started_run

pytestmark = pytest.mark.django_db
GOAL = "Refund Ada Lovelace, ada@example.com"


def stored(run):
    assert run.goal is not None
    return PersonalText.objects.get(pk=run.goal)


def test_a_personal_text_is_read_back_by_its_reference():
    run = started_run(GOAL).run

    assert texts.read_texts([run.goal, None]) == {run.goal: GOAL}


def test_neither_the_log_nor_the_stored_row_holds_the_text_in_clear():
    run = started_run(GOAL).run
    kept = b"".join(bytes(row.ciphertext or b"") for row in PersonalText.objects.all())
    body = Event.objects.get(run=run).body

    assert b"Ada" not in kept
    assert "Ada" not in body
    assert str(run.goal) in body


def test_the_log_holds_a_digest_keyed_per_row():
    run = started_run(GOAL).run
    row = stored(run)

    assert Event.objects.get(run=run).payload["goal"] == {
        "id": str(run.goal),
        "digest": keyed_digest(bytes(row.digest_key or b""), GOAL),
    }


def test_erasing_leaves_a_tombstone_and_the_chain_still_verifies():
    run = started_run(GOAL).run

    erasing.erase(erasing.hold(run.workspace_id, [texts.about_run(run)]))

    row = stored(run)
    assert texts.read_texts([run.goal]) == {run.goal: texts.ERASED}
    assert (row.ciphertext, row.digest_key, row.key.wrapped) == (None, None, None)
    assert list(log_differences(run.pk)) == []


def test_a_sealed_secret_opens_to_what_it_was():
    sealed = data_keys.seal("sk_test_123")

    assert b"sk_test" not in sealed
    assert data_keys.unseal(sealed) == "sk_test_123"
