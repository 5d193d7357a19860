"""A part for each stack of the servers that DATABASE_URL and REDIS_URL name, if they do."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import cycle
from urllib.parse import urlsplit

import psycopg
import redis

NAMES = ("DATABASE_URL", "REDIS_URL")
# Number 0 belongs to whoever gave us the server.
numbers = cycle(range(1, 16))


def are_given() -> bool:
    return all(os.environ.get(name) for name in NAMES)


@contextmanager
def own_part() -> Iterator[dict[str, str]]:
    """An empty database at each server, as environment; nothing where no servers are given."""
    if not are_given():
        yield {}
        return
    database, cache = (urlsplit(os.environ[name]) for name in NAMES)
    name = f"countersign_{secrets.token_hex(4)}"
    urls = {
        "DATABASE_URL": database._replace(path=f"/{name}").geturl(),
        "REDIS_URL": cache._replace(path=f"/{next(numbers)}").geturl(),
    }
    with redis.Redis.from_url(urls["REDIS_URL"]) as own:
        own.flushdb()
    with psycopg.connect(os.environ["DATABASE_URL"], autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name} TEMPLATE template0 ENCODING 'UTF8'")
        try:
            yield urls
        finally:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)")
