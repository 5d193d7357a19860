from __future__ import annotations

import pytest

from approvals.administration import ErasePerson
from approvals.handlers import erase_person
from approvals.models import AccessToken, Membership, WorkspaceChange
from runtime.handlers import RunCommand, RunCommandKind, command_run
from runtime.models import Person, PersonalKey, PersonalText, RequestKey, Run, ToolCall
from runtime.texts import ERASED, about_person, read_texts
from runtime.verify import log_differences
from tests.approvals.nothing import nothing_happens
from tests.factories import (
    approve,
    make_approval,
    make_run,
    make_world,
    numbers,
    refusal_of,
    reject,
    status_of,
)
from tests.handoffs import make_settlement

OK = (200, "ok")
ADA = {"order_id": "o-1", "customer": "ada"}


def erase(world, name="admin", **whom):
    command = {"command_id": f"erase-{next(numbers)}", "reason": "asked"} | whom
    return erase_person(world.actor(name), ErasePerson(**command))


def rejected(world, **subject):
    """A run about somebody whose one call was rejected with a note."""
    approval = make_approval(world, make_run(world, subject=subject, goal="Help Ada"))
    reject(world, "reviewer", approval, note="Ada is known for this")
    return approval


def words(run_id):
    """Goal, subject, grounds and note of a run with one rejected call."""
    run = Run.objects.get(pk=run_id)
    call = ToolCall.objects.get(run=run)
    note = call.approvals.get().votes.get().note
    kept = [run.goal, run.subject, call.reasoning, note]
    found = read_texts(kept)
    return [found[each] for each in kept if each]


def test_a_customer_is_erased_on_all_their_orders_and_nobody_else_is(world):
    one = rejected(world, **ADA)
    two = rejected(world, order_id="o-2", customer="ada")
    other = rejected(world, order_id="o-1")

    answer = erase(world, customer="ada")

    assert status_of(answer) == OK
    assert words(one.run_id) == words(two.run_id) == [ERASED] * 4
    assert ERASED not in words(other.run_id)
    assert [list(log_differences(run)) for run in (one.run_id, two.run_id)] == [[], []]


def test_an_order_means_the_person_whose_it_is(world):
    named = rejected(world, **ADA)
    elsewhere = rejected(world, order_id="o-2", customer="ada")
    unnamed = rejected(world, order_id="o-1")

    erase(world, order="o-1")

    assert [words(each.run_id) for each in (named, elsewhere, unnamed)] == [[ERASED] * 4] * 3


def test_what_somebody_wrote_about_a_customer_goes_with_either_of_them(world):
    run = rejected(world, **ADA).run_id

    erase(world, user="reviewer")

    goal, *_, note = words(run)
    assert (goal, note) == ("Help Ada", ERASED)


def test_what_comes_later_about_the_same_customer_can_be_read(world):
    old = rejected(world, **ADA)
    erase(world, customer="ada")

    new = rejected(world, **ADA)

    assert words(old.run_id) == [ERASED] * 4
    assert ERASED not in words(new.run_id)
    assert old.run.about == new.run.about


def test_nothing_of_what_was_encrypted_stays(world):
    run = rejected(world, **ADA).run

    erase(world, customer="ada")

    key = PersonalKey.objects.get(subject=run.about)
    assert key.wrapped is None
    kept = PersonalText.objects.filter(key=key).values_list("ciphertext", "digest_key")
    assert set(kept) == {(None, None)}


def test_nobody_is_erased_while_somebody_may_have_to_read_it(world):
    approval = make_approval(world, make_run(world, subject=ADA))

    answer = erase(world, customer="ada")

    assert status_of(answer) == (409, "calls_open")
    assert refusal_of(answer).extra == {"tool_calls": [str(approval.tool_call_id)]}
    assert ERASED not in read_texts([approval.tool_call.reasoning]).values()
    assert status_of(approve(world, "reviewer", approval)) == OK


def test_whoever_proposed_an_open_settlement_is_not_erased(world):
    call = make_settlement(world).tool_call

    answer = erase(world, "admin2", user="admin")

    assert status_of(answer) == (409, "calls_open")
    assert refusal_of(answer).extra == {"tool_calls": [str(call.pk)]}


def test_a_call_whose_grounds_are_gone_is_not_tried_again(world):
    approval = rejected(world, **ADA)
    erase(world, customer="ada")
    retry = RunCommand(
        command_id="again", kind=RunCommandKind.RETRY, tool_call=approval.tool_call_id
    )

    answer = command_run(world.actor("agent"), approval.run_id, retry)

    assert status_of(answer) == (409, "erased")
    assert ToolCall.objects.filter(run=approval.run_id).count() == 1


def test_an_erased_member_has_no_name_no_token_and_no_way_in(world):
    person = world.people["reviewer"]
    person.email, person.first_name = "jane@example.com", "Jane"
    person.set_password("secret")
    person.save()

    erase(world, user="reviewer")

    person.refresh_from_db()
    names = (person.username, person.first_name, person.last_name, person.email)
    assert names == (f"erased-{person.pk}", "", "", "")
    assert (person.is_active, person.has_usable_password()) == (False, False)
    assert not Membership.objects.get(person=person).active
    assert not AccessToken.objects.filter(person=person, revoked_at=None).exists()


def test_somebody_whom_another_workspace_has_keeps_their_name_there(world):
    other = make_world("other")
    Membership.objects.create(
        workspace=other.workspace, person=world.people["support"], role="support"
    )

    erase(world, user="support")

    person = Person.objects.get(pk=world.people["support"].pk)
    memberships = dict(person.memberships.values_list("workspace__slug", "active"))
    assert (person.username, person.is_active) == ("support", True)
    assert memberships == {"demo": False, "other": True}


def test_what_is_on_record_says_who_did_it_and_no_name(world):
    run = rejected(world, **ADA).run

    erase(world, customer="ada")

    change = WorkspaceChange.objects.get(kind="person.erased")
    assert (change.subject, change.actor) == (run.about, world.actor("admin").name)
    assert change.after == {"reason": "asked", "texts": 4, "runs": 1}


@pytest.mark.parametrize(
    ("name", "whom", "refused", "receipts"),
    [
        ("reviewer", {"customer": "ada"}, (403, "not_authorized"), 0),
        ("admin", {"customer": "nobody"}, (409, "nothing_to_erase"), 1),
        ("admin", {"order": "nothing"}, (409, "nothing_to_erase"), 1),
        ("admin", {"user": "stranger"}, (409, "nothing_to_erase"), 1),
        ("admin", {"user": "admin"}, (403, "conflict_of_interest"), 1),
    ],
)
def test_who_may_not_erase_whom(world, name, whom, refused, receipts):
    approval = rejected(world, **ADA)

    with nothing_happens(approval, receipts=receipts):
        answer = erase(world, name, **whom)

    assert status_of(answer) == refused
    assert not PersonalKey.objects.filter(wrapped=None).exists()


def test_the_same_command_again_is_the_same_answer(world):
    rejected(world, **ADA)
    erase(world, customer="ada", command_id="once")

    again = erase(world, customer="ada", command_id="once")
    other = erase(world, customer="eve", command_id="once")

    assert (status_of(again), again.replayed) == (OK, True)
    assert status_of(other) == (422, "idempotency_mismatch")


def test_the_keys_of_requests_go_with_the_runs_they_made(world):
    make_run(world, subject=ADA, request_key="ada-ticket-1", request={})

    erase(world, customer="ada")

    assert RequestKey.objects.count() == 0


def test_an_agents_words_in_commands_are_its_own_as_well(world):
    run = make_run(world, subject=ADA)
    finish = RunCommand(command_id="end", kind=RunCommandKind.FINISH, outcome="Told Ada")
    command_run(world.actor("agent"), run.pk, finish)

    text = PersonalText.objects.exclude(author_key=None).get()
    keys = (text.key.subject, text.author_key.subject if text.author_key else None)
    assert keys == (run.about, about_person(world.people["agent"].pk))
