"""The cases of a lost append: what was there, what was meant, what is there now."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from runtime.sessions.classify import Append, Head, Identity, Intent, Seen, Verdict, classify
from runtime.sessions.digests import SCHEME, SERIALIZATION, digest_of, written

HERE = Identity(implementation="ours", namespace="a workspace", epoch=1, session="s")
OURS, THEIRS = "our attempt", "another attempt"


def texts(letters: str) -> list[str]:
    return [written({"said": letter}) for letter in letters.split()]


def head(letters: str) -> Head:
    """A history of one append for each item."""
    items = texts(letters)
    return Head(revision=len(items), count=len(items), digest=digest_of(items))


def intent(before: str, batch: str) -> Intent:
    return Intent(
        identity=HERE,
        before=head(before),
        batch_count=len(texts(batch)),
        batch_digest=digest_of(texts(batch)),
        attempt_token=OURS,
        serialization=SERIALIZATION,
        scheme=SCHEME,
    )


def seen(before: str, *appends: tuple[str, str]) -> Seen:
    return Seen(
        identity=HERE,
        before=head(before),
        appends=tuple(
            Append(attempt_token=token, count=len(texts(batch)), digest=digest_of(texts(batch)))
            for token, batch in appends
        ),
    )


CASES = {
    "1 nothing happened": ("u c", "o", seen("u c"), Verdict.UNCHANGED),
    "2 it is there": ("u c", "o", seen("u c", (OURS, "o")), Verdict.COMMITTED),
    "3 nothing in nothing": ("", "o", seen(""), Verdict.UNCHANGED),
    "4 another's in nothing": ("", "o", seen("", (THEIRS, "u")), Verdict.SUPERSEDED),
    "5 another's, then ours": (
        "",
        "o",
        seen("", (THEIRS, "u"), (OURS, "o")),
        Verdict.BASE_MOVED,
    ),
    "6 half of it": ("u c1 c2", "o1 o2", seen("u c1 c2", (OURS, "o1")), Verdict.PARTIAL),
    "7 twice": ("u c", "o", seen("u c", (OURS, "o o")), Verdict.DUPLICATE),
    "8 another's instead": ("u c", "o", seen("u c", (THEIRS, "v")), Verdict.SUPERSEDED),
    "9 ours, then another's": (
        "u c",
        "o",
        seen("u c", (OURS, "o"), (THEIRS, "v")),
        Verdict.EXTENDED_BY_OTHERS,
    ),
    "10 the tail is gone": ("u c", "o", seen("u"), Verdict.TRUNCATED),
    "11 the head is another": (
        "u v w x c",
        "o",
        seen("Z v w x c"),
        Verdict.HEAD_REWRITTEN,
    ),
    "12 repetitive, unchanged": ("u u u", "u", seen("u u u"), Verdict.UNCHANGED),
    "13 repetitive, there": ("u u u", "u", seen("u u u", (OURS, "u")), Verdict.COMMITTED),
    "17 the same bytes by another": ("u c", "o", seen("u c", (THEIRS, "o")), Verdict.SUPERSEDED),
    "other bytes under our name": ("u c", "o", seen("u c", (OURS, "x")), Verdict.HEAD_REWRITTEN),
    "another's between our two": (
        "u",
        "o",
        seen("u", (THEIRS, "o"), (OURS, "o")),
        Verdict.BASE_MOVED,
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_each_case_has_one_verdict(case):
    before, batch, found, verdict = CASES[case]

    assert classify(intent(before, batch), found, frozenset()) is verdict


def test_9_what_this_run_itself_appended_later_is_no_doubt():
    found = seen("u c", (OURS, "o"), ("our next", "v"))

    verdict = classify(intent("u c", "o"), found, frozenset({OURS, "our next"}))

    assert verdict is Verdict.COMMITTED_THEN_EXTENDED


def test_14_the_order_of_keys_says_nothing():
    one, other = written({"a": 1, "b": 2}), written({"b": 2, "a": 1})

    assert one != other
    assert digest_of([one]) == digest_of([other])


def test_15_what_a_store_writes_for_itself_says_nothing():
    assert digest_of([written({"a": 1, "_id": 7})]) == digest_of([written({"a": 1})])


@pytest.mark.parametrize(
    "elsewhere",
    [
        replace(HERE, implementation="another"),
        replace(HERE, namespace="another"),
        replace(HERE, epoch=2),
        replace(HERE, session="another"),
    ],
)
def test_16_the_same_history_elsewhere_is_another(elsewhere):
    found = replace(seen("u c", (OURS, "o")), identity=elsewhere)

    assert classify(intent("u c", "o"), found, frozenset()) is Verdict.IDENTITY_MISMATCH


@pytest.mark.parametrize(
    "newer", [{"serialization": SERIALIZATION + 1}, {"scheme": "sha3-chain/2"}]
)
def test_a_record_of_a_newer_version_is_not_read(newer):
    meant = replace(intent("u c", "o"), **newer)

    assert classify(meant, seen("u c", (OURS, "o")), frozenset()) is Verdict.UNREADABLE_VERSION


@pytest.mark.parametrize("number", ["1e16", "-0.0", "0.1", "1e-7", "9007199254740991"])
def test_numbers_are_kept_as_they_were_said(number):
    text = written({"n": json.loads(number)})

    assert repr(json.loads(text)["n"]) == repr(json.loads(number))
