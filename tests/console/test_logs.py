from __future__ import annotations

import logging
import threading

import pytest
import structlog
from django.test import Client
from structlog.contextvars import bound_contextvars

from console.logs import LONGEST, logging_of
from tests.console.lines import lines_of


@pytest.mark.parametrize(
    ("secret", "left"),
    [
        ("key sk_test_51AbCdEf", "key [cut]"),
        ("key rk_live_51AbCdEf", "key [cut]"),
        ("signed with whsec_9f8e7d", "signed with [cut]"),
        ("token cst_AbC-d_ef", "token [cut]"),
        ("Authorization: Bearer abc.def-ghi", "Authorization: Bearer [cut]"),
        ("at postgres://me:hunter2@db/app", "at postgres://[cut]@db/app"),
        ("at redis://:hunter2@cache", "at redis://[cut]@cache"),
        ("mailed jane.doe+x@mail.example.org", "mailed [cut]"),
        ("broken\nDETAIL:  Failing row contains (Jane).\nmore", "broken\nDETAIL:[cut]\nmore"),
    ],
)
def test_secrets_and_personal_data_are_cut_wherever_they_stand(secret, left):
    with lines_of() as lines:
        logging.getLogger("somebody").info("%s", secret)
        structlog.get_logger("somebody").info("ours", field=secret)

    theirs, ours = lines
    assert theirs["event"] == left
    assert ours["field"] == left


def test_a_traceback_is_one_line_and_quotes_no_row():
    error = ValueError("duplicate key\nDETAIL:  Key (email)=(jane) already exists.")

    with lines_of() as lines:
        structlog.get_logger("somebody").warning("failed", exc_info=error)

    (line,) = lines
    assert line["event"] == "failed"
    assert "DETAIL:[cut]" in line["exception"]
    assert "jane" not in line["exception"]


def test_every_line_says_what_it_is_about():
    with lines_of() as lines, bound_contextvars(correlation_id="a run"):
        logging.getLogger("somebody").warning("from a library")

    (line,) = lines
    assert {name: line[name] for name in ("event", "level", "logger", "correlation_id")} == {
        "event": "from a library",
        "level": "warning",
        "logger": "somebody",
        "correlation_id": "a run",
    }
    assert set(line) >= {"timestamp", "process"}


def test_people_may_have_it_as_text():
    assert set(logging_of("text", "INFO")) == set(logging_of("json", "INFO"))
    with pytest.raises(KeyError):
        logging_of("xml", "INFO")


@pytest.mark.parametrize("piece", ["x", "a.", "a@", "://a:", "cst_", "DETAIL:", "x-", "bearer "])
def test_a_line_of_many_kilobytes_is_written_at_once(piece):
    """Whoever sends a long address is not to keep the process at looking through it."""
    done = threading.Event()

    def write():
        with lines_of() as lines:
            logging.getLogger("somebody").warning("%s", piece * (100_000 // len(piece)))
        assert len(lines[0]["event"]) <= LONGEST
        done.set()

    threading.Thread(target=write, daemon=True).start()

    assert done.wait(5)


def test_what_is_refused_is_named_by_its_route_alone(db):
    with lines_of() as lines:
        Client().get("/w/demo/runs/of-jane/")
        Client().get("/api/v1/members/jane")

    assert "jane" not in str(lines)
