from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID

import pytest

from approvals.events import ApprovalVoted, ApprovalVotedV1
from runtime.errors import EventTooLargeError, MalformedEventError, UnknownEventError
from runtime.event_types import (
    GENESIS,
    MOST_BODY_BYTES,
    Envelope,
    chain,
    decode,
    encode,
    newest,
    registered,
    upcasters,
)
from runtime.events import ToolCallCancelled

ID = UUID("01900000-0000-7000-8000-000000000001")
AT = datetime(2026, 1, 2, 3, 4, 5, 678, tzinfo=UTC)
# As version 1 wrote it, byte for byte, and the hash it got then.
OLD_BODY = (
    '{"command_id":"c-1","decision":"approve","note":null,'
    '"person":"01900000-0000-7000-8000-000000000001","reason_code":null}'
)
OLD_HASH = "a7e20d5093b521fe47e9dabe52655cf67d2f0569d78d37f3b59836f42b87111c"


def old_envelope():
    return Envelope(
        event_id=ID,
        workspace=ID,
        run=ID,
        position=1,
        event_type="approval.voted",
        schema_version=1,
        producer="approvals",
        actor=f"person:{ID}",
        correlation_id=str(ID),
        causation_id=None,
        occurred_at=AT,
        recorded_at=AT,
    )


def test_every_version_but_the_newest_says_how_it_reads_in_the_next():
    newest_of = {event.event_type: event for event in registered()}
    older = [event for event in registered() if newest_of[event.event_type] is not event]

    assert set(older) == upcasters().keys()
    for event in older:
        (following,) = [
            each
            for each in registered()
            if each.event_type == event.event_type
            and each.schema_version == event.schema_version + 1
        ]
        assert upcasters()[event].__annotations__["return"] == following.__name__


def test_versions_are_numbered_from_one_without_gaps():
    versions: dict[str, list[int]] = {}
    for event in registered():
        versions.setdefault(event.event_type, []).append(event.schema_version)

    assert all(found == list(range(1, len(found) + 1)) for found in versions.values())


def test_an_old_body_is_read_as_the_newest_version():
    vote = decode("approval.voted", 1, OLD_BODY)

    assert isinstance(vote, ApprovalVoted)
    assert (vote.person, vote.command_id) == (ID, "c-1")
    assert (vote.surface, vote.token, vote.seen) == (None, None, None)
    assert newest("approval.voted", 1, OLD_BODY) == vote.model_dump(mode="json")


def test_an_old_fact_keeps_the_hash_it_was_given():
    assert encode(ApprovalVotedV1.model_validate_json(OLD_BODY)) == OLD_BODY
    assert chain(GENESIS, old_envelope(), OLD_BODY) == OLD_HASH


def test_a_field_of_the_next_version_is_none_of_the_old_one():
    with pytest.raises(MalformedEventError, match=r"^approval\.voted version 1 .*: seen\.$"):
        decode("approval.voted", 1, OLD_BODY.replace('"reason_code"', '"seen":null,"reason_code"'))


def test_what_is_malformed_is_named_by_its_field_and_not_quoted():
    with pytest.raises(MalformedEventError) as raised:
        decode("tool.call.cancelled", 1, '{"code": "withdrawn", "secret": "4242"}')

    assert str(raised.value) == "tool.call.cancelled version 1 is not as declared: secret."


@pytest.mark.parametrize(
    ("event_type", "version"), [("approval.voted", 3), ("approval.voted", 0), ("a.b", 1)]
)
def test_a_version_that_nobody_here_knows_is_refused_unread(event_type, version):
    for read in (decode, newest):
        with pytest.raises(UnknownEventError):
            read(event_type, version, OLD_BODY)


def test_a_body_may_be_as_long_as_the_limit_and_no_byte_longer():
    empty = len(encode(ToolCallCancelled(code="")))
    fits = MOST_BODY_BYTES - empty

    assert len(encode(ToolCallCancelled(code="x" * fits))) == MOST_BODY_BYTES
    with pytest.raises(EventTooLargeError, match="65,537 bytes"):
        encode(ToolCallCancelled(code="x" * (fits + 1)))


def test_the_limit_counts_bytes_and_not_characters():
    with pytest.raises(EventTooLargeError):
        encode(ToolCallCancelled(code="é" * (MOST_BODY_BYTES // 2)))
