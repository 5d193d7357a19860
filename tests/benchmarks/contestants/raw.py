"""The floor: psycopg and the fewest statements that keep the same guarantees.

Run locked, clock read after the lock, facts chained and told, one receipt a command, authority
asked at the vote and again at the spending, guarded spending, reservation, leased attempt. It has
one policy, one voter, no conflicts of interest, no personal text, no observations, no sums.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import psycopg
import rfc8785
from uuid_utils.compat import uuid7

GENESIS = "0" * 64
numbers = count(1)
LOCK = """
SELECT r.*, clock_timestamp() AS now FROM
    (SELECT id, head, head_hash, stopping FROM run WHERE id = %s FOR NO KEY UPDATE) AS r
"""
APPEND = """
WITH told AS (
    INSERT INTO outbox (run, position)
    SELECT %(run)s, p FROM generate_series(%(first)s, %(head)s) AS p
), moved AS (UPDATE run SET head = %(head)s, head_hash = %(hash)s WHERE id = %(run)s)
INSERT INTO event
    (event_id, run, position, event_type, actor, occurred_at, call, body, prev_hash, hash)
SELECT unnest(%(ids)s::uuid[]), %(run)s, generate_series(%(first)s, %(head)s),
    unnest(%(types)s::text[]), %(actor)s, %(now)s, %(call)s, unnest(%(bodies)s::text[]),
    unnest(%(prevs)s::text[]), unnest(%(hashes)s::text[])
"""
TIMER = """
INSERT INTO timer VALUES (%s, %s, %s + interval '2 s')
ON CONFLICT (kind, subject) DO UPDATE SET due_at = excluded.due_at
"""


def prepare(conninfo: str) -> None:
    with psycopg.connect(conninfo) as connection:
        connection.execute((Path(__file__).parent / "raw.sql").read_text())


@dataclass(slots=True, kw_only=True)
class Locked:
    connection: psycopg.Connection[Any]
    run: UUID
    head: int
    hash: str
    stopping: bool
    now: Any

    def append(self, call: UUID, actor: str, *facts: tuple[str, dict[str, Any]]) -> list[int]:
        first, lines = self.head + 1, []
        for event_type, payload in facts:
            self.head += 1
            event_id, body = uuid7(), rfc8785.dumps(payload).decode()
            envelope = {
                "event_id": str(event_id),
                "run": str(self.run),
                "position": self.head,
                "event_type": event_type,
                "actor": actor,
                "occurred_at": self.now.isoformat(),
                "call": str(call),
            }
            text = "\n".join([self.hash, rfc8785.dumps(envelope).decode(), body])
            prev, self.hash = self.hash, hashlib.sha256(text.encode()).hexdigest()
            lines.append((event_id, event_type, body, prev, self.hash))
        ids, types, bodies, prevs, hashes = map(list, zip(*lines, strict=True))
        values = {
            "run": self.run,
            "first": first,
            "head": self.head,
            "hash": self.hash,
            "now": self.now,
            "actor": actor,
            "call": call,
            "ids": ids,
            "types": types,
            "bodies": bodies,
            "prevs": prevs,
            "hashes": hashes,
        }
        self.connection.execute(APPEND, values)
        return list(range(first, self.head + 1))


class Raw:
    """One client on a run of its own."""

    def __init__(self, conninfo: str) -> None:
        self.connection = psycopg.connect(conninfo, options="-c search_path=raw")
        self.run, self.person = uuid4(), uuid4()
        with self.connection.transaction():
            self.sql("INSERT INTO run (id, head_hash) VALUES (%s, %s)", self.run, GENESIS)
            self.sql("INSERT INTO member VALUES (%s, 'reviewer', true, 100000)", self.person)

    def sql(self, query: str, *params: Any) -> psycopg.Cursor[Any]:
        return self.connection.execute(query, params)

    def one(self, query: str, *params: Any) -> Any:
        return self.sql(query, *params).fetchone()

    def cycle(self) -> None:
        call, approval, digest = self.propose()
        self.decide(call, approval, digest)
        attempt = self.spend(call, approval)
        self.mark_sent(call, attempt)
        self.settle(call, attempt, f"re_{call.hex[:20]}")

    @contextmanager
    def locked(self) -> Iterator[Locked]:
        with self.connection.transaction():
            run, head, head_hash, stopping, now = self.one(LOCK, self.run)
            yield Locked(
                connection=self.connection,
                run=run,
                head=head,
                hash=head_hash,
                stopping=stopping,
                now=now,
            )

    def propose(self) -> tuple[UUID, UUID, str]:
        call, approval, target = uuid7(), uuid7(), f"pi_{next(numbers)}"
        arguments = rfc8785.dumps({"payment": target, "amount": 500, "reason": "asked"}).decode()
        digest = hashlib.sha256(arguments.encode()).hexdigest()
        with self.locked() as locked:
            policy, open_calls = self.one(
                "SELECT (SELECT id FROM policy WHERE active), (SELECT count(*) FROM approval"
                " JOIN call ON call.id = approval.call WHERE call.run = %s"
                " AND approval.status = 'pending')",
                self.run,
            )
            assert not locked.stopping
            assert open_calls < 50
            self.sql(
                "WITH asked AS (INSERT INTO call (id, run, intent, arguments, digest,"
                " amount_minor, target, status) VALUES (%s, %s, %s, %s, %s, 500, %s, 'proposed'))"
                " INSERT INTO approval (id, call, status, digest, policy, decide_by)"
                " VALUES (%s, %s, 'pending', %s, %s, %s + interval '1 hour')",
                *(call, self.run, call.hex, arguments, digest, target),
                *(approval, call, digest, policy, locked.now),
            )
            locked.append(
                call,
                "agent",
                ("tool.call.proposed", {"intent": call.hex, "digest": digest}),
                ("policy.decided", {"policy": policy, "verdict": "needs_person"}),
                ("approval.requested", {"approval": str(approval), "digest": digest}),
            )
            self.sql(TIMER, "expire", approval, locked.now)
        return call, approval, digest

    def decide(self, call: UUID, approval: UUID, digest: str) -> None:
        command = uuid4().hex
        with self.locked() as locked:
            asked = self.one(
                "SELECT a.status, a.digest, a.decide_by, c.amount_minor, m.role, m.limit_minor,"
                " (SELECT digest FROM receipt WHERE actor = m.person AND command_id = %s)"
                " FROM approval a JOIN call c ON c.id = a.call, member m"
                " WHERE a.id = %s AND m.person = %s AND m.active",
                *(command, approval, self.person),
            )
            status, stored, decide_by, amount, role, limit, receipt = asked
            assert (status, stored, role, receipt) == ("pending", digest, "reviewer", None)
            assert locked.now < decide_by
            assert amount <= limit
            positions = locked.append(
                call,
                str(self.person),
                ("approval.voted", {"command_id": command}),
                ("approval.granted", {"by": str(self.person)}),
                ("tool.call.authorized", {"approval": str(approval)}),
            )
            self.sql(
                "WITH granted AS (UPDATE approval SET status = 'granted', approver = %s,"
                " use_by = %s + interval '15 min' WHERE id = %s AND status = 'pending'),"
                " going AS (UPDATE call SET status = 'authorized' WHERE id = %s)"
                " INSERT INTO receipt VALUES (%s, %s, %s, %s)",
                *(self.person, locked.now, approval, call),
                *(self.person, command, digest, positions),
            )
            self.sql(TIMER, "advance", call, locked.now)

    def spend(self, call: UUID, approval: UUID) -> UUID:
        attempt, key = uuid7(), uuid4().hex
        with self.locked() as locked:
            status, good, target, amount = self.one(
                "SELECT c.status, p.active AND m.active AND m.role = 'reviewer'"
                " AND c.amount_minor <= m.limit_minor AND a.digest = c.digest, c.target,"
                " c.amount_minor FROM call c JOIN approval a ON a.call = c.id"
                " JOIN policy p ON p.id = a.policy JOIN member m ON m.person = a.approver"
                " WHERE c.id = %s AND a.id = %s",
                *(call, approval),
            )
            assert (status, good, locked.stopping) == ("authorized", True, False)
            self.sql(
                "INSERT INTO payment VALUES (%s)"
                " ON CONFLICT (target) DO UPDATE SET target = excluded.target",
                target,
            )
            (reserved,) = self.one(
                "SELECT coalesce(sum(amount_minor), 0) FROM reservation WHERE target = %s", target
            )
            assert reserved + amount <= 1_000_000
            spent = self.sql(
                "WITH spent AS (UPDATE approval SET status = 'consumed' WHERE id = %s"
                " AND status = 'granted' AND use_by > clock_timestamp() RETURNING id)"
                " INSERT INTO consumption SELECT id, %s FROM spent",
                *(approval, locked.now),
            )
            assert spent.rowcount == 1
            self.sql(
                "WITH left_as AS (UPDATE call SET status = 'dispatching', wire_key = %s,"
                " lease_token = 1, lease_until = %s + interval '45 s' WHERE id = %s),"
                " reserved AS (INSERT INTO reservation VALUES (%s, %s, %s)),"
                " over AS (DELETE FROM timer WHERE kind = 'expire' AND subject = %s)"
                " INSERT INTO attempt VALUES (%s, %s, 1, 'opened')",
                *(key, locked.now, call, call, target, amount, approval, attempt, call),
            )
            locked.append(
                call,
                "system",
                ("payment.observed", {"target": target}),
                ("approval.consumed", {"approval": str(approval)}),
                ("tool.call.dispatching", {"wire_key": key}),
                ("tool.attempt.opened", {"attempt": str(attempt), "token": 1}),
            )
            self.sql(TIMER, "advance", call, locked.now)
        return attempt

    def mark_sent(self, call: UUID, attempt: UUID) -> None:
        with self.locked() as locked:
            (held,) = self.one(
                "SELECT lease_token = 1 AND lease_until > %s FROM call WHERE id = %s",
                *(locked.now, call),
            )
            assert held
            assert not locked.stopping
            self.sql("UPDATE attempt SET status = 'sent' WHERE id = %s", attempt)
            locked.append(call, "system", ("tool.attempt.sent", {"attempt": str(attempt)}))

    def settle(self, call: UUID, attempt: UUID, ref: str) -> None:
        with self.locked() as locked:
            (held,) = self.one(
                "SELECT lease_token = 1 AND lease_until > %s FROM call WHERE id = %s",
                *(locked.now, call),
            )
            assert held
            self.sql(
                "WITH closed AS (UPDATE attempt SET status = 'closed' WHERE id = %s)"
                " UPDATE call SET status = 'completed', result_ref = %s, lease_until = NULL"
                " WHERE id = %s",
                *(attempt, ref, call),
            )
            locked.append(
                call,
                "system",
                ("tool.attempt.closed", {"attempt": str(attempt)}),
                ("tool.call.completed", {"result_ref": ref}),
                ("outcome.pending", {"result_ref": ref}),
            )
            self.sql(TIMER, "advance", call, locked.now)

    def close(self) -> None:
        self.connection.close()
