from __future__ import annotations

import pytest

from tests.console.browser import PASSWORD, Browser
from tests.factories import make_world


def with_passwords(world):
    for person in world.people.values():
        person.set_password(PASSWORD)
        person.save()
    return world


@pytest.fixture
def world(db):
    return with_passwords(make_world())


@pytest.fixture
def signed_in(world):
    """Answer a browser in which the person named is signed in."""

    def sign(username: str) -> Browser:
        browser = Browser()
        browser.client.force_login(world.people[username])
        return browser

    return sign
