from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest
from django.conf import settings
from django.db import connection

from console.database.roles import are_separate


@pytest.fixture
def application(db) -> Iterator[psycopg.Connection]:
    """A connection of the application's own to the tests' database, as no settings shape it."""
    if not are_separate(settings.SERVERS):
        pytest.skip("one role alone was given")
    name = connection.settings_dict["NAME"]
    with psycopg.connect(settings.SERVERS.database_url, dbname=name, autocommit=True) as own:
        yield own
