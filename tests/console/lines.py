"""What this process says, through the project's own formatter."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from console.logs import logging_of


@contextmanager
def lines_of(name: str | None = None) -> Iterator[list[dict[str, Any]]]:
    """The lines that one logger, or any, writes meanwhile; there to read once it is over."""
    stream, lines = io.StringIO(), list[dict[str, Any]]()
    formatter = logging_of("json", "INFO")["formatters"]["line"]
    handler = logging.StreamHandler(stream)
    handler.setFormatter(formatter.pop("()")(**formatter))
    logger = logging.getLogger(name)
    logger.addHandler(handler)
    try:
        yield lines
    finally:
        logger.removeHandler(handler)
        lines += map(json.loads, stream.getvalue().splitlines())
