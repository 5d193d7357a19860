"""One SQLite file holds everything the sandbox knows, so a killed sandbox forgets nothing."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

SCHEMA = """
CREATE TABLE IF NOT EXISTS payments (
    charge TEXT PRIMARY KEY, payment_intent TEXT UNIQUE, amount INTEGER NOT NULL,
    currency TEXT NOT NULL, metadata TEXT NOT NULL, description TEXT,
    disputed INTEGER NOT NULL, created INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS refunds (
    seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE,
    charge TEXT NOT NULL REFERENCES payments (charge), amount INTEGER NOT NULL,
    status TEXT NOT NULL, reason TEXT, metadata TEXT NOT NULL, failure_reason TEXT,
    created INTEGER NOT NULL);
CREATE INDEX IF NOT EXISTS refunds_by_charge ON refunds (charge, seq);
CREATE TABLE IF NOT EXISTS keys (
    key TEXT PRIMARY KEY, fingerprint TEXT NOT NULL, status INTEGER NOT NULL,
    body BLOB NOT NULL, created REAL NOT NULL);
CREATE TABLE IF NOT EXISTS journal (
    seq INTEGER PRIMARY KEY, at TEXT NOT NULL, method TEXT NOT NULL, path TEXT NOT NULL,
    key TEXT, metadata TEXT NOT NULL, intent TEXT, status INTEGER, moved_money INTEGER NOT NULL);
CREATE INDEX IF NOT EXISTS journal_by_intent ON journal (intent, seq);
CREATE TABLE IF NOT EXISTS faults (
    seq INTEGER PRIMARY KEY, body TEXT NOT NULL, times_left INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS settings (name TEXT PRIMARY KEY, value TEXT NOT NULL);
"""


class Store:
    """The file, its transactions, its few settings and the sandbox's own clock."""

    def __init__(self, path: Path) -> None:
        self.db = sqlite3.connect(path, isolation_level=None, timeout=2)
        self.db.row_factory = sqlite3.Row
        # Exclusive: two sandboxes on one file would not see each other's requests in flight.
        self.db.execute("PRAGMA locking_mode = EXCLUSIVE")
        self.db.execute("PRAGMA journal_mode = WAL")
        self.db.execute("PRAGMA synchronous = NORMAL")
        self.db.execute("PRAGMA foreign_keys = ON")
        self.db.executescript(SCHEMA)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Everything inside is on record before the caller can answer, or none of it is."""
        self.db.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self.db.execute("ROLLBACK")
            raise
        self.db.execute("COMMIT")

    @contextmanager
    def savepoint(self) -> Iterator[None]:
        """A part of a transaction that a refusal undoes, while the refusal itself is recorded."""
        self.db.execute("SAVEPOINT part")
        try:
            yield
        except BaseException:
            self.db.execute("ROLLBACK TO part")
            raise
        finally:
            self.db.execute("RELEASE part")

    def setting(self, name: str, default: str) -> str:
        found = self.db.execute("SELECT value FROM settings WHERE name = ?", (name,)).fetchone()
        return default if found is None else str(found["value"])

    def change_setting(self, name: str, value: str) -> None:
        self.db.execute("INSERT OR REPLACE INTO settings VALUES (?, ?)", (name, value))

    def now(self) -> float:
        """Seconds by the sandbox's clock, which a control call may put ahead of the real one."""
        return time.time() + float(self.setting("clock_ahead_s", "0"))

    def advance_clock(self, seconds: int) -> None:
        ahead = int(self.setting("clock_ahead_s", "0"))
        self.change_setting("clock_ahead_s", str(ahead + seconds))
