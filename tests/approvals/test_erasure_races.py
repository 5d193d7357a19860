from __future__ import annotations

from functools import partial

import pytest

from approvals.administration import ErasePerson
from approvals.handlers import erase_person
from runtime.models import PersonalKey, PersonalText, ToolCall
from runtime.texts import ERASED, read_texts
from tests.approvals.racing import race
from tests.factories import make_call, make_run, make_world, status_of

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.drill]

ROUNDS = 12


def erase(world, number, customer="ada"):
    command = ErasePerson(command_id=f"erase-{number}", customer=customer, reason="asked")
    return status_of(erase_person(world.actor("admin"), command))


def start(world, number, customer="ada"):
    subject = {"order_id": f"o-{number}", "customer": customer}
    return make_run(world, subject=subject, goal=f"Goal {number}")


def assert_no_text_is_half_erased():
    """Under an erased key nothing is left, and under a living one everything is readable."""
    for text in PersonalText.objects.select_related("key", "author_key"):
        keys = [key for key in (text.key, text.author_key) if key]
        is_erased = any(key.wrapped is None for key in keys)
        assert (text.ciphertext is None, text.digest_key is None) == (is_erased, is_erased)
        assert (read_texts([text.pk])[text.pk] == ERASED) is is_erased


def test_a_text_kept_while_its_person_is_erased_is_wholly_gone_or_wholly_there():
    world = make_world()
    start(world, "first")
    for number in range(ROUNDS):
        race(
            [
                partial(start, world, f"{number}-a"),
                partial(erase, world, number),
                partial(start, world, f"{number}-b"),
            ]
        )

    assert_no_text_is_half_erased()
    living = PersonalKey.objects.filter(subject__startswith="customer:", wrapped__isnull=False)
    assert living.count() <= 1
    assert PersonalKey.objects.filter(wrapped=None).exists()


def test_nobody_is_asked_about_what_was_erased_at_that_moment():
    world = make_world()
    for number in range(ROUNDS):
        run = start(world, number, f"customer {number}")
        asking = partial(make_call, world, run)
        _, erased = race([asking, partial(erase, world, number, f"customer {number}")])
        call = ToolCall.objects.get(run=run)

        # Either the call came first, and is in the way, or its grounds came after.
        assert ERASED not in read_texts([call.reasoning]).values()
        assert erased in {(200, "ok"), (409, "calls_open")}

    assert_no_text_is_half_erased()
