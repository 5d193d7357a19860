"""What became of an append whose end nobody saw, from the history as it is now. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from runtime.session_events import Verdict
from runtime.sessions.digests import SCHEME, SERIALIZATION

# With any other, nobody goes on before an admin has looked.
GOES_ON: Final = frozenset({Verdict.UNCHANGED, Verdict.COMMITTED, Verdict.COMMITTED_THEN_EXTENDED})


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """Which history is meant: two of one name at different backends are two."""

    implementation: str
    namespace: str
    epoch: int
    session: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """How far a history goes: revision, number of items, digest of all of them."""

    revision: int
    count: int
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Intent:
    """An append as it was meant, on record before it was tried."""

    identity: Identity
    before: Head
    batch_count: int
    batch_digest: str
    attempt_token: str
    serialization: int
    scheme: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Append:
    """What one append has left in the history: its items counted and digested as they are."""

    attempt_token: str
    count: int
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """The history now: `before` as far as it was known, then each append since.

    `head` is where it ends by its items, `stated` by what the session says of itself.
    """

    identity: Identity
    before: Head
    appends: tuple[Append, ...]
    head: Head
    stated: Head


def classify(intent: Intent, seen: Seen, own: frozenset[str]) -> Verdict:
    """`own`: tokens of appends that this run itself has made or meant."""
    if (intent.serialization, intent.scheme) != (SERIALIZATION, SCHEME):
        return Verdict.UNREADABLE_VERSION
    if intent.identity != seen.identity:
        return Verdict.IDENTITY_MISMATCH
    verdict = broken_head(intent.before, seen.before) or _by_appends(intent, seen, own)
    return misstated(seen) or verdict if verdict in GOES_ON else verdict


def classify_at_rest(known: Head, seen: Seen) -> Verdict | None:
    """No append is open: whatever is there beyond what is known came from elsewhere."""
    if broken := broken_head(known, seen.before):
        return broken
    return Verdict.EXTENDED_BY_OTHERS if seen.appends else misstated(seen)


def broken_head(known: Head, seen: Head) -> Verdict | None:
    """Say what is wrong with the part of a history that was there before."""
    if seen.count < known.count or seen.revision < known.revision:
        return Verdict.TRUNCATED
    return Verdict.HEAD_REWRITTEN if seen != known else None


def misstated(seen: Seen) -> Verdict | None:
    """A session that is wrong about itself would never take the next append."""
    return Verdict.HEAD_MISSTATED if seen.stated != seen.head else None


def _by_appends(intent: Intent, seen: Seen, own: frozenset[str]) -> Verdict:
    tokens = [each.attempt_token for each in seen.appends]
    if not tokens:
        return Verdict.UNCHANGED
    if intent.attempt_token not in tokens:
        return Verdict.SUPERSEDED
    if tokens[0] != intent.attempt_token:
        return Verdict.BASE_MOVED
    return _whole(intent, seen.appends[0]) or _extended(tokens[1:], own)


def _whole(intent: Intent, append: Append) -> Verdict | None:
    if append.count < intent.batch_count:
        return Verdict.PARTIAL
    if append.count > intent.batch_count:
        return Verdict.DUPLICATE
    return None if append.digest == intent.batch_digest else Verdict.HEAD_REWRITTEN


def _extended(later: Sequence[str], own: frozenset[str]) -> Verdict:
    if not later:
        return Verdict.COMMITTED
    return Verdict.COMMITTED_THEN_EXTENDED if own.issuperset(later) else Verdict.EXTENDED_BY_OTHERS
