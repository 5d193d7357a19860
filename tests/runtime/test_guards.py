from __future__ import annotations

import pytest
from django.db import connection

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("table", ["runtime_event", "runtime_receipt"])
def test_history_is_guarded_in_every_replication_role(table):
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT tgenabled FROM pg_trigger WHERE tgname = %s", [f"{table}_is_append_only"]
        )

        assert cursor.fetchall() == [("A",)]
