"""docs/verify_evidence.py: a good pack holds anywhere, and whatever was tampered with is named."""

from __future__ import annotations

import hashlib
import json

import pytest

from approvals.models import Approval
from console.anchors import anchoring, own_key
from runtime.anchors.lines import public_key
from runtime.erasing import erase, hold
from runtime.models import Event, Run
from runtime.texts import about_run
from runtime.verify import log_differences
from tests.console.packs import Pack, checked, failures, pack_of, paid, rejected
from tests.factories import approve, make_approval, make_grant, make_run, make_world
from tests.handoffs import make_settlement
from tests.runtime.anchors.lab import anchored, rewrite

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def anchors(settings, tmp_path):
    settings.ANCHOR_FILE = tmp_path / "anchors.jsonl"


@pytest.fixture
def world(anchors):
    return make_world()


@pytest.fixture
def pack(world) -> Pack:
    return pack_of(paid(world))


def key() -> str:
    return f"--public-key={public_key(own_key())}"


def unknown(said: list[str]) -> list[str]:
    return [line.removeprefix("??   ") for line in said if line.startswith("??")]


def test_a_good_pack_holds_and_what_is_only_its_word_is_said(pack, tmp_path):
    status, said = checked(pack, tmp_path, key())

    assert (status, failures(said)) == (0, [])
    assert unknown(said) == [
        "names, sentences, rules, times of use and receipts' words: the pack's word"
    ]
    assert f"ok   anchors: 1, up to event {len(pack['events'])}" in said
    assert "ok   ending: used 1 times, of at most once" in said


def test_packs_of_other_endings_hold(world, tmp_path):
    settled = make_settlement(world)
    approve(world, "admin2", settled)
    settled.refresh_from_db()
    open_one = make_grant(world)

    for approval in (rejected(world), settled, open_one):
        assert failures(checked(pack_of(approval), tmp_path, key())[1]) == []


def test_a_pack_of_an_approval_that_was_superseded_holds(world, tmp_path):
    run = make_run(world)
    old = make_approval(world, run, intent="one", minor=500, payment="pi_1")
    new = make_grant(world, run, intent="one", minor=400, payment="pi_1")
    old.refresh_from_db()

    assert old.status == "superseded"
    for approval in (old, new):
        assert failures(checked(pack_of(approval), tmp_path)[1]) == []


def test_without_a_key_of_ones_own_the_signer_is_asked_about(pack, tmp_path):
    status, said = checked(pack, tmp_path)

    assert status == 0
    asked = f"anchors: is this your key (--public-key)? {public_key(own_key())}"
    assert asked in unknown(said)


def test_what_is_not_anchored_yet_is_said(world, tmp_path):
    pack = pack_of(make_grant(world))

    status, said = checked(pack, tmp_path, key())

    assert (status, failures(said)) == (0, [])
    last = len(pack["events"])
    assert unknown(said)[0] == (
        f"anchors: none yet for events 1 to {last}; only their chain speaks"
    )


def test_erased_words_are_tombstones_and_everything_else_holds(world, tmp_path):
    approval = paid(world)
    about = about_run(Run.objects.get(pk=approval.run_id))
    erase(hold(world.workspace.pk, [about]))

    pack = pack_of(approval)
    status, said = checked(pack, tmp_path, key())

    gone = [text for text in pack["texts"] if text["erased"]]
    assert {(text["text"], text["digest_key"]) for text in gone} == {("[erased]", None)}
    assert (status, failures(said)) == (0, [])
    assert unknown(said)[0] == f"texts: {len(gone)} were erased; what they said is gone"
    assert "Lost on 3 May" not in json.dumps(pack)


def in_event(kind: str, name: str, value: object):
    """Change a field of an event's body, and leave its hash as it was."""

    def change(pack: Pack) -> None:
        event = next(each for each in pack["events"] if f'"{kind}"' in each["envelope"])
        event["body"] = json.dumps(json.loads(event["body"]) | {name: value})

    return change


def in_envelope(pack: Pack) -> None:
    pack["events"][3]["envelope"] = pack["events"][3]["envelope"].replace("system", "nobody")


def set_at(*path: str | int, value: object):
    def change(pack: Pack) -> None:
        *way, last = path
        part: Pack = pack
        for step in way:
            part = part[step]  # type: ignore[index]
        part[last] = value  # type: ignore[index]

    return change


TAMPERED = {
    "a changed body": (
        in_event("approval.requested", "needed", 0),
        "event 4 (approval.requested) is not what was hashed",
    ),
    "an event taken out": (
        lambda pack: pack["events"].pop(2),
        "event 3 (approval.requested) is not chained to the event before it",
    ),
    "another amount": (
        set_at("approval", "effect", "amount", "minor", value=1),
        "question: another amount_minor is shown than people were asked about",
    ),
    "another digest": (
        set_at("approval", "digest", value="0" * 64),
        "question: another digest is shown than people were asked about",
    ),
    "another policy": (
        set_at("policy", "version", value=2),
        "question: another policy_version is shown than people were asked about",
    ),
    "nobody behind it": (
        set_at("conflicts", value=[]),
        "question: another conflicts is shown than people were asked about",
    ),
    "other arguments of the call": (
        set_at("call", "arguments", "payment", value="pi_other"),
        "call: what the agent proposed",
    ),
    "another reference": (
        set_at("call", "external_request_id", value="csr_other"),
        "call: the reference it left under, if it left",
    ),
    "another refund": (
        set_at("call", "result_ref", value="re_other"),
        "call: the provider's id of what it did, if it did",
    ),
    "another voter": (
        set_at("approval", "votes", "cast", 0, "by", value="senior"),
        "votes: 1, as they were cast",
    ),
    "another status": (
        set_at("approval", "status", value="granted"),
        "ending: consumed by its log",
    ),
    "other words": (
        set_at("approval", "reasoning", "summary", value="It did arrive"),
        "words: why",
    ),
    "another note": (
        set_at("approval", "votes", "cast", 0, "note", value="Fine by me"),
        "words: notes of the votes",
    ),
    "another reading of the payment": (
        set_at("observations", 0, "content", value="{}"),
        "payment: read 2 times, as recorded",
    ),
    "a receipt left out": (
        lambda pack: pack["receipts"].pop(0),
        "receipts: one for each vote",
    ),
    "another format": (
        set_at("format", value="countersign-evidence@9"),
        "this is no whole pack: ValueError: countersign-evidence@9 is no format that is known here",
    ),
    "half a pack": (
        lambda pack: pack.pop("approval"),
        "this is no whole pack: KeyError: 'approval'",
    ),
}


@pytest.mark.parametrize("name", TAMPERED)
def test_what_was_tampered_with_is_named(pack, tmp_path, name):
    change, named = TAMPERED[name]
    change(pack)

    status, said = checked(pack, tmp_path, key())

    assert status == 1
    assert named in failures(said)


def test_a_text_that_was_changed_is_named(pack, tmp_path):
    for text in pack["texts"]:
        text["text"] = "It did arrive"

    status, said = checked(pack, tmp_path, key())

    assert status == 1
    changed = {f"texts: {text['id']} is not what was written" for text in pack["texts"]}
    assert changed <= set(failures(said))


def used_twice(pack: Pack) -> None:
    """Add another use, chained as whoever forges a pack would."""
    used = next(each for each in pack["events"] if '"approval.consumed"' in each["envelope"])
    last = pack["events"][-1]
    envelope = json.loads(used["envelope"]) | {"position": len(pack["events"]) + 1}
    again = {"envelope": json.dumps(envelope), "body": used["body"], "prev_hash": last["hash"]}
    text = "\n".join([again["prev_hash"], again["envelope"], again["body"]])
    pack["events"].append(again | {"hash": hashlib.sha256(text.encode()).hexdigest()})


def test_an_approval_used_twice_is_named(pack, tmp_path):
    used_twice(pack)

    status, said = checked(pack, tmp_path, key())

    assert (status, failures(said)) == (1, ["ending: used 2 times, of at most once"])


ANCHORS = {
    "another signature": (
        set_at("anchors", 0, "signature", value="00" * 64),
        "is not signed with a good key",
    ),
    "another path": (
        set_at("anchors", 0, "path", value=[["left", "00" * 32]]),
        "is not about this head",
    ),
}


@pytest.mark.parametrize("name", ANCHORS)
def test_an_anchor_that_proves_nothing_is_named(pack, tmp_path, name):
    change, named = ANCHORS[name]
    change(pack)

    status, said = checked(pack, tmp_path, key())

    assert status == 1
    assert [line.endswith(named) for line in failures(said)] == [True]


def test_a_stranger_s_signature_is_not_good(pack, tmp_path):
    status, said = checked(pack, tmp_path, "--public-key=" + "11" * 32)

    assert status == 1
    assert [line.endswith("is not signed with a good key") for line in failures(said)] == [True]


def test_only_the_anchor_tells_that_an_administrator_rewrote_the_log(world, tmp_path):
    approval = paid(world)
    row = Event.objects.get(run=approval.run_id, event_type="outcome.pending")
    rewrite(approval.run, row.position, lambda event: setattr(event, "producer", "somebody"))
    anchored(anchoring())

    pack = pack_of(Approval.objects.get(pk=approval.pk))
    status, said = checked(pack, tmp_path, key())

    assert list(log_differences(approval.run_id)) == []
    assert status == 1
    last = len(pack["events"])
    rewritten = f"has another event {last}: the log was rewritten since"
    assert [line.endswith(rewritten) for line in failures(said)] == [True]
