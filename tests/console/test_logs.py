from __future__ import annotations

import logging

import pytest
import structlog
from structlog.contextvars import bound_contextvars

from console.logs import logging_of
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
