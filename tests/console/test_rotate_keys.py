"""Another data key in the middle of a history: everything is read, and nothing done twice."""

from __future__ import annotations

import pytest
from cryptography.fernet import Fernet
from django.conf import settings
from django.core.management import CommandError

from approvals.usage import order_minor
from runtime import fingerprints, rotating
from runtime.data_keys import seal, unseal
from runtime.errors import DataKeyError
from runtime.models import FingerprintKey, PersonalKey, ProviderAccount, Run, ToolCall
from runtime.sessions.store import read_texts as read_items
from runtime.sessions.store import session_of
from runtime.texts import read_texts
from tests.console.commands import run_command
from tests.factories import approve, decision, make_approval, make_grant, make_run, status_of

ORDER = {"order_id": "o-1"}
NEW = Fernet.generate_key().decode()


@pytest.fixture
def old():
    return settings.DATA_KEYS[0]


@pytest.fixture
def started_with(settings):
    """Answer a way to be a process that was started with these keys just now."""

    def start(*keys):
        fingerprints._wrapped.cache_clear()  # noqa: SLF001 - what only a new process does
        fingerprints._opened.cache_clear()  # noqa: SLF001 - the same
        settings.DATA_KEYS = list(keys)

    before = settings.DATA_KEYS
    yield start
    start(*before)


@pytest.fixture
def account(world):
    return ProviderAccount.objects.create(
        workspace=world.workspace,
        provider="stripe",
        label="t",
        secret=seal("sk_test_1"),
        webhook_secret=seal("whsec_1"),
    )


@pytest.fixture
def grant(world, account):
    return make_grant(world, make_run(world, subject=ORDER, goal="Help Ada"))


def goal(run_id):
    (words,) = read_texts([Run.objects.get(pk=run_id).goal]).values()
    return words


def wrapped():
    """Every key and secret as it is stored."""
    return [
        {bytes(each) for each in model.objects.values_list(column, flat=True)}
        for model, column in (
            (PersonalKey, "wrapped"),
            (FingerprintKey, "wrapped"),
            (ProviderAccount, "secret"),
        )
    ]


def test_the_newest_key_alone_reads_all_that_was_there_before(
    world, grant, account, old, started_with
):
    started_with(NEW, old)

    said = run_command("rotate_keys")

    started_with(NEW)
    account.refresh_from_db()
    assert said[-1] == "The newest key opens everything: DATA_KEY may hold it alone."
    assert goal(grant.run_id) == "Help Ada"
    assert (unseal(account.secret), unseal(account.webhook_secret)) == ("sk_test_1", "whsec_1")
    assert read_items(session_of(grant.run)) == []


def test_commands_and_orders_are_recognised_under_another_key(world, old, started_with):
    approval = make_approval(world, make_run(world, subject=ORDER), minor=700)
    command = decision(approval, command_id="once", note="Ada is right")
    approve(world, "reviewer", approval, **command.model_dump())
    first = make_run(world, subject=ORDER, request_key="ticket-1", request={"a": 1})
    started_with(NEW, old)
    run_command("rotate_keys")
    started_with(NEW)

    again = approve(world, "reviewer", approval, **command.model_dump())
    other = approve(world, "reviewer", approval, **command.model_dump() | {"note": "else"})
    second = make_run(world, subject=ORDER, request_key="ticket-1", request={"a": 1})
    asked = make_approval(world, make_run(world, subject=ORDER))

    assert (status_of(again), again.replayed) == ((200, "ok"), True)
    assert status_of(other) == (422, "idempotency_mismatch")
    assert second == first
    assert order_minor(asked.run, asked.tool_call) == 700


def test_what_is_written_between_opens_with_the_newest_key(world, grant, old, started_with):
    started_with(NEW, old)

    run = make_run(world, subject={"order_id": "o-2"}, goal="Help Eve")

    assert goal(grant.run_id) == "Help Ada"
    started_with(NEW)
    assert goal(run.pk) == "Help Eve"


def test_a_rotation_that_was_killed_goes_on_with_what_is_left(
    world, grant, old, started_with, monkeypatch
):
    for number in range(5):
        make_run(world, subject={"order_id": f"more-{number}"})
    every = PersonalKey.objects.count()
    monkeypatch.setattr(rotating, "BATCH", 2)
    started_with(NEW, old)
    keys, *_ = rotating.PROTECTED
    first, *_ = rotating.batches(keys)
    list(rotating.rotate_batch(keys, first, check=False))

    rest = rotating.rotate(keys)

    assert rest == {"current": 2, "wrapped anew": every - 2}
    assert rotating.rotate(keys) == {"current": every}


def test_neither_key_is_a_clear_failure_that_writes_nothing(world, grant, started_with):
    before = wrapped()
    started_with(NEW)

    with pytest.raises(DataKeyError, match="No DATA_KEY of this process opens what is stored"):
        goal(grant.run_id)
    with pytest.raises(DataKeyError):
        make_run(world, subject=ORDER)
    with pytest.raises(CommandError, match="The newest key does not open everything"):
        run_command("rotate_keys", "--check")

    assert wrapped() == before
    assert ToolCall.objects.count() == 1


def test_looking_writes_nothing(world, grant, old, started_with):
    before = wrapped()
    started_with(NEW, old)

    with pytest.raises(CommandError, match="keep the others"):
        run_command("rotate_keys", "--check")

    assert wrapped() == before
