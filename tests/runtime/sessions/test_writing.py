"""Appends on the real store, whatever became of the process that made them."""

from __future__ import annotations

import pytest
from django.db import DatabaseError, transaction
from django.db.models import F

from runtime import erasing, texts
from runtime.commands import Applied, Refusal, Refused
from runtime.folding import run_differences
from runtime.handlers import Appended, Denied, Granted
from runtime.models import AgentSession, Event, SessionAppend, SessionItem, SessionWrite
from runtime.sessions.digests import written
from runtime.sessions.store import append, vault_of
from runtime.sessions.writing import known_head
from tests.runtime.sessions.lab import Lab, call, output, said, without_guards

U, V, W = said("u"), said("v"), said("w")


@pytest.fixture
def left(lab: Lab) -> Lab:
    """A session that holds `u v`."""
    lab.append(0, "first", U)
    lab.append(1, "second", V)
    return lab


def histories(*items):
    return list(map(written, items))


def by_appending(lab):
    return lab.append(2, "again", W)


def by_asking(lab):
    lab.ask()
    return lab.append(2, "again", W)


@pytest.mark.parametrize("find", [by_appending, by_asking])
def test_an_append_that_was_never_made_is_found_judged_and_made(left, find):
    left.die_before_append("again", W)

    answer = find(left)

    assert answer == Appended(revision=3, created=False)
    assert left.history == histories(U, V, W)
    assert left.trail[4:] == ["session.write_intended", "unchanged", "committed"]


@pytest.mark.parametrize("find", [by_appending, by_asking])
def test_an_append_that_was_made_is_not_made_again(left, find):
    left.die_after_append("again", W)

    answer = find(left)

    assert answer == Appended(revision=3, created=False)
    assert left.history == histories(U, V, W)
    assert left.trail[4:] == ["session.write_intended", "committed"]


def test_an_append_that_was_just_meant_and_answered_is_not_read_again(left):
    assert left.trail == ["session.write_intended", "committed"] * 2
    assert known_head(left.run).count == 2
    assert list(run_differences(left.run_id)) == []


def test_another_attempt_waits_for_the_one_that_is_open_and_is_told_where_it_ended(left):
    left.die_before_append("again", W)

    answer = left.append(2, "another", V)

    assert isinstance(answer, Refusal)
    assert (answer.code, answer.extra) == ("revision_moved", {"revision": 3})
    assert left.history == histories(U, V, W)


def test_a_run_that_ended_takes_no_append_any_more(left):
    left.die_before_append("again", W)
    left.finish()

    answer = left.append(2, "again", W)

    assert isinstance(answer, Refusal)
    assert answer.code == "run_ended"
    assert left.history == histories(U, V)


def truncate(lab):
    SessionItem.objects.filter(session__run=lab.run_id, number=2).delete()
    SessionAppend.objects.filter(session__run=lab.run_id, revision=2).delete()


def lose_the_first(lab):
    SessionItem.objects.filter(session__run=lab.run_id, number=1).delete()


def rewrite(lab):
    SessionItem.objects.filter(session__run=lab.run_id, number=1).update(text=written(W))


def add(lab):
    lab.write_behind_our_back("foreign", W)


def add_what_is_no_item(lab):
    lab.write_behind_our_back("foreign")
    new = SessionAppend.objects.get(attempt_token="foreign")
    SessionItem.objects.create(session=lab.session, append=new, number=3, text="no json")


def misstate_revision(lab):
    AgentSession.objects.filter(run=lab.run_id).update(revision=9)


def misstate_digest(lab):
    AgentSession.objects.filter(run=lab.run_id).update(digest="f" * 64)


def erase(lab):
    with transaction.atomic():
        erasing.erase(erasing.hold(lab.world.workspace.pk, [texts.about_run(lab.run)]))


DAMAGES = {
    truncate: "truncated",
    lose_the_first: "truncated",
    rewrite: "head_rewritten",
    add: "extended_by_others",
    add_what_is_no_item: "extended_by_others",
    misstate_revision: "head_misstated",
    misstate_digest: "head_misstated",
    erase: "head_rewritten",
}
# Nothing of these histories can be shown to a model.
BEYOND_REPAIR = (add_what_is_no_item, erase)


def damaged(lab, damage):
    with transaction.atomic(), without_guards():
        damage(lab)


@pytest.mark.parametrize("damage", DAMAGES)
def test_whoever_touches_a_history_at_rest_closes_the_gate(left, damage):
    damaged(left, damage)

    answer = left.ask()

    assert isinstance(answer, Denied)
    assert [gate.gate for gate in answer.gates] == ["session"]
    assert left.run.session_doubt == DAMAGES[damage]
    assert isinstance(left.append(2, "third", W), Refusal)


@pytest.mark.parametrize("damage", DAMAGES)
def test_an_append_onto_a_damaged_history_ends_with_a_verdict(left, damage):
    damaged(left, damage)
    left.die_before_append("third", W)

    answer = left.append(2, "third", W)

    assert isinstance(answer, Refusal)
    assert answer.code == "session_in_doubt"
    assert left.run.session_doubt not in {None, "unchanged", "committed"}


@pytest.mark.parametrize("damage", [each for each in DAMAGES if each not in BEYOND_REPAIR])
def test_a_history_that_is_adopted_goes_on(left, damage):
    damaged(left, damage)
    left.ask()

    repaired = left.repair("adopt_observed")

    assert isinstance(repaired, Applied)
    revision = left.session.revision
    assert isinstance(left.ask(), Granted)
    assert left.append(revision, "third", V) == Appended(revision=revision + 1, created=True)
    assert left.history[-1] == written(V)
    assert isinstance(left.ask(), Granted)
    assert list(run_differences(left.run_id)) == []


@pytest.mark.parametrize("damage", BEYOND_REPAIR)
def test_a_history_nobody_can_read_is_not_adopted(left, damage):
    damaged(left, damage)
    left.ask()

    refused = left.repair("adopt_observed")

    assert isinstance(refused, Refused)
    assert refused.refusal.code == "not_well_formed"
    assert left.run.session_doubt is not None


def test_a_worker_that_wakes_after_the_repair_appends_nothing(lab):
    lab.append(0, "first", U, call("1"))
    asleep = lab.die_before_append("second", output("1"))
    before = known_head(lab.run)
    lab.write_behind_our_back("foreign")
    lab.ask()
    lab.repair("discard_pending")

    made = append(asleep.session, before, "second", histories(output("1")))

    assert made is None
    assert isinstance(lab.ask(), Granted)
    assert len(lab.history) == 3


def test_what_was_meant_can_be_appended_to_what_is_there(left):
    left.die_before_append("third", W)
    left.write_behind_our_back("foreign", U)
    left.ask()

    assert isinstance(left.repair("append_pending"), Applied)

    assert left.history == histories(U, V, U, W)
    assert isinstance(left.ask(), Granted)


def test_what_is_there_already_is_not_appended_again(left):
    left.die_after_append("third", W)
    left.write_behind_our_back("foreign", U)
    left.ask()

    refused = left.repair("append_pending")

    assert isinstance(refused, Refused)
    assert refused.refusal.code == "already_appended"
    assert left.history == histories(U, V, W, U)


@pytest.mark.parametrize("rows", [SessionWrite, SessionAppend, SessionItem])
def test_the_database_refuses_to_change_what_was_appended(left, rows):
    before = list(rows.objects.values())

    with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
        rows.objects.update(id=F("id"))
    with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
        rows.objects.all()._raw_delete("default")  # noqa: SLF001

    assert list(rows.objects.values()) == before


def test_what_was_said_is_kept_under_its_customer_s_key_and_in_no_event(left):
    secret = said("My number is 555-0100")
    left.append(2, "third", secret)

    kept = [*SessionItem.objects.values_list("text", flat=True), *SessionWrite.objects.values()]
    events = [row.body for row in Event.objects.filter(run=left.run_id)]

    assert "555-0100" not in str([kept, events])
    assert left.history[-1] == written(secret)


def test_erasing_the_customer_erases_what_models_were_told(left):
    kept = SessionItem.objects.filter(session__run=left.run_id)

    erase(left)

    assert left.history == list(kept.order_by("number").values_list("text", flat=True))
    write = SessionWrite.objects.filter(run=left.run_id).first()
    assert write is not None
    assert vault_of(left.run).unlock(write.batch[0]) == write.batch[0]
