"""What a process says: one JSON object a line, with secrets and personal data cut out."""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping, MutableMapping, Sequence
from typing import Any, Final

import structlog
from structlog.typing import Processor

RENDERERS: Final[Mapping[str, Processor]] = {
    "json": structlog.processors.JSONRenderer(ensure_ascii=False),
    "text": structlog.dev.ConsoleRenderer(colors=False),
}
CUT: Final = "[cut]"

# Longer than any traceback of ours: what is longer was sent to us.
LONGEST: Final = 20_000

# A net below the rule that no secret or personal text is handed to a logger at all. Each part
# begins with something fixed or is bounded: an address of many kilobytes must not take seconds.
HIDDEN: Final = re.compile(
    r"""
    \b(?:sk|rk|pk)_(?:live|test)_\w+          # keys of a provider
    | \bwhsec_\w+                             # secrets of its webhooks
    | \bcst_[\w-]+                            # our bearer tokens
    | (?<=bearer\ )[\w.~+/=-]+
    | (?<=://)[^\s/@:]{0,200}:[^\s/@]{1,200}(?=@)  # the credentials in an address
    | [\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+  # addresses of people
    | (?<=DETAIL:)[^\n]+                      # PostgreSQL quotes the row that broke a rule
    """,
    re.IGNORECASE | re.VERBOSE,
)


def without_secrets(
    _logger: Any,  # noqa: ANN401 - whichever logger it is
    _method: str,
    event: MutableMapping[str, Any],
) -> MutableMapping[str, Any]:
    for key, value in event.items():
        if isinstance(value, str):
            event[key] = HIDDEN.sub(CUT, value[:LONGEST])
    return event


def without_path(record: logging.LogRecord) -> bool:
    """Django names the path of whatever it refuses; `answered` names the route."""
    if isinstance(record.args, tuple):
        record.msg, record.args = "%s", record.args[:1]
    return True


# What every line goes through, ours or a library's; last of all, what is cut out.
SHARED: Final[Sequence[Processor]] = [
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_log_level,
    structlog.stdlib.add_logger_name,
    structlog.processors.CallsiteParameterAdder({structlog.processors.CallsiteParameter.PROCESS}),
    structlog.processors.TimeStamper(fmt="iso", utc=True),
    structlog.processors.format_exc_info,
    without_secrets,
]
structlog.configure(
    processors=[*SHARED, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
    wrapper_class=structlog.stdlib.BoundLogger,
    logger_factory=structlog.stdlib.LoggerFactory(),
    cache_logger_on_first_use=True,
)


def logging_of(form: str, level: str) -> dict[str, Any]:
    """Answer Django's LOGGING: everything to standard error, whoever wrote it."""
    unwrapped = structlog.stdlib.ProcessorFormatter.remove_processors_meta
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "line": {
                "()": structlog.stdlib.ProcessorFormatter,
                "foreign_pre_chain": SHARED,
                "processors": [unwrapped, RENDERERS[form]],
            }
        },
        "filters": {"without_path": {"()": lambda: without_path}},
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
        "root": {"handlers": ["stderr"], "level": level},
        "loggers": {
            "django": {"handlers": [], "level": level},
            "django.request": {"filters": ["without_path"]},
            # They tell of every request and quote what was sent.
            "stripe": {"level": "WARNING"},
            "urllib3": {"level": "WARNING"},
        },
    }
