"""What a key remembers: the first request's parameters and the answer it was given."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass

from runtime.sandbox.calls import Call
from runtime.sandbox.errors import InvalidParamsError, key_mismatch
from runtime.sandbox.store import Store

MAX_KEY = 255


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    status: int
    body: bytes
    replayed: bool = False


def fingerprint(call: Call) -> str:
    asked = json.dumps([call.method, call.path, call.form], sort_keys=True)
    return hashlib.sha256(asked.encode()).hexdigest()


def recall(store: Store, call: Call, key: str, life_s: int) -> Answer | None:
    """The stored answer, None for a new or forgotten key, or the refusal of a misused one."""
    if not 0 < len(key) <= MAX_KEY:
        raise InvalidParamsError(400, f"Idempotency keys are 1 to {MAX_KEY} characters long.")
    store.db.execute("DELETE FROM keys WHERE created <= ?", (store.now() - life_s,))
    row = store.db.execute("SELECT * FROM keys WHERE key = ?", (key,)).fetchone()
    if row is None:
        return None
    if row["fingerprint"] != fingerprint(call):
        raise key_mismatch()
    return Answer(status=row["status"], body=row["body"], replayed=True)


def remember(store: Store, call: Call, key: str, answer: Answer) -> None:
    row = (key, fingerprint(call), answer.status, answer.body, store.now())
    store.db.execute("INSERT INTO keys VALUES (?, ?, ?, ?, ?)", row)
