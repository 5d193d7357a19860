"""The cases of a lost append: what was there, what was meant, what is there now."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from runtime.session_events import Verdict
from runtime.sessions.classify import (
    Append,
    Head,
    Identity,
    Intent,
    Seen,
    classify,
    classify_at_rest,
)
from runtime.sessions.digests import SCHEME, SERIALIZATION, digest_of, read_item, written

HERE = Identity(implementation="ours", namespace="a workspace", epoch=1, session="s")
KEY = b"the key of a session"
OURS, THEIRS = "our attempt", "another attempt"


def texts(letters: str) -> list[str]:
    return [written({"said": letter}) for letter in letters.split()]


def head(letters: str) -> Head:
    """A history of one append for each item."""
    items = texts(letters)
    return Head(revision=len(items), count=len(items), digest=digest_of(KEY, items))


def intent(before: str, batch: str) -> Intent:
    return Intent(
        identity=HERE,
        before=head(before),
        batch_count=len(texts(batch)),
        batch_digest=digest_of(KEY, texts(batch)),
        attempt_token=OURS,
        serialization=SERIALIZATION,
        scheme=SCHEME,
    )


def seen(before: str, *appends: tuple[str, str]) -> Seen:
    return Seen(
        identity=HERE,
        before=head(before),
        appends=tuple(
            Append(
                attempt_token=token, count=len(texts(batch)), digest=digest_of(KEY, texts(batch))
            )
            for token, batch in appends
        ),
        head=head("the same"),
        stated=head("the same"),
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


def stored(*items: str) -> Seen:
    """A history of `u c`, and then our append as the store wrote it."""
    own = Append(attempt_token=OURS, count=len(items), digest=digest_of(KEY, items))
    return replace(seen("u c"), appends=(own,))


@pytest.mark.parametrize(
    "text",
    ['{"said": "o", "by": 1}', '{"by":1,"said":"o"}', '{"_id": 7, "by": 1, "said": "o"}'],
)
def test_14_and_15_order_spaces_and_a_backend_s_own_keys_say_nothing(text):
    one = written({"said": "o", "by": 1})
    meant = replace(intent("u c", "o"), batch_digest=digest_of(KEY, [one]))

    assert classify(meant, stored(text), frozenset()) is Verdict.COMMITTED
    assert read_item(text) == {"said": "o", "by": 1}


def test_a_key_that_is_no_backend_s_is_something_else_said():
    found = stored('{"id": 7, "said": "o"}')

    assert classify(intent("u c", "o"), found, frozenset()) is Verdict.HEAD_REWRITTEN


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


@pytest.mark.parametrize(
    ("found", "verdict"),
    [
        (seen("u c"), None),
        (seen("u"), Verdict.TRUNCATED),
        (seen("Z c"), Verdict.HEAD_REWRITTEN),
        (seen("u c", (THEIRS, "o")), Verdict.EXTENDED_BY_OTHERS),
        (seen("u c", (THEIRS, "")), Verdict.EXTENDED_BY_OTHERS),
        (replace(seen("u c"), stated=head("another")), Verdict.HEAD_MISSTATED),
    ],
)
def test_a_history_at_rest_is_as_it_was_left_or_in_doubt(found, verdict):
    assert classify_at_rest(head("u c"), found) is verdict


@pytest.mark.parametrize(
    ("found", "verdict"),
    [
        (seen("u c"), Verdict.HEAD_MISSTATED),
        (seen("u c", (OURS, "o")), Verdict.HEAD_MISSTATED),
        (seen("u c", (THEIRS, "o")), Verdict.SUPERSEDED),
    ],
)
def test_a_session_that_is_wrong_about_itself_takes_no_append(found, verdict):
    wrong = replace(found, stated=head("another"))

    assert classify(intent("u c", "o"), wrong, frozenset()) is verdict


@pytest.mark.parametrize(
    "text",
    [
        "no json",
        "[]",
        "1",
        '{"n": 1e999}',
        '{"n": NaN}',
        '{"n": 99999999999999999999}',
        '{"s": "\\ud800"}',
    ],
)
def test_what_cannot_be_read_has_a_digest_all_the_same(text):
    assert read_item(text) is None
    assert digest_of(KEY, [text]) not in {digest_of(KEY, []), digest_of(KEY, ["{}"])}


def test_digests_of_two_sessions_cannot_be_compared():
    assert digest_of(KEY, texts("u")) != digest_of(b"another", texts("u"))


@pytest.mark.parametrize("number", ["1e16", "-0.0", "0.1", "1e-7", "9007199254740991"])
def test_numbers_are_kept_as_they_were_said(number):
    text = written({"n": json.loads(number)})

    assert repr(json.loads(text)["n"]) == repr(json.loads(number))
