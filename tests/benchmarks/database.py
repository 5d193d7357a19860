"""A durable PostgreSQL for a benchmark, and an empty database of ours in it. Sets Django up."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

import django

os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
os.environ.setdefault("LOG_LEVEL", "WARNING")
django.setup()

from django.conf import settings  # noqa: E402
from django.db import connection  # noqa: E402
from django.test.utils import setup_databases, teardown_databases  # noqa: E402
from psycopg.conninfo import make_conninfo  # noqa: E402

from console.embedded.data_dir import layout, resolve  # noqa: E402
from console.embedded.session import running  # noqa: E402


@contextmanager
def durable_database() -> Iterator[str]:
    """Start the embedded servers, fsync on, and migrate a database; answer where it is.

    The database goes away at the end.
    """
    where = layout(settings.DATA_DIR)
    with running(where, resolve(where.root), durable=True):
        made = setup_databases(verbosity=0, interactive=False)
        try:
            params = connection.get_connection_params()
            names = ("host", "port", "user", "password", "dbname")
            yield make_conninfo(**{name: params[name] for name in names if params.get(name)})
        finally:
            teardown_databases(made, verbosity=0)
