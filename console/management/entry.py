"""Every manage.py command, with the servers it needs: the embedded ones where no URL is set."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings
from django.core.management import execute_from_command_line

from console.embedded.data_dir import layout
from console.embedded.errors import StartError, plain_errors
from console.embedded.session import running

# The demo runs its own; the others ask no server for anything.
WITHOUT_SERVERS = frozenset(
    {
        "anchor_key",
        "check",
        "collectstatic",
        "demo",
        "diffsettings",
        "findstatic",
        "help",
        "spectacular",
        "version",
        "write_reference",
    }
)
# They make tables, or write rows past their guards.
AS_OWNER = frozenset({"create_roles", "migrate", "prepare_demo", "rebuild_projections"})
REFUSED = 2
INTERRUPTED = 130


def main(argv: Sequence[str]) -> None:
    """Run the command; what keeps it from starting is told in one line, with status 2."""
    try:
        _prepare_environment(argv)
        with _servers(argv):
            execute_from_command_line(list(argv))
    except StartError as error:
        sys.stderr.write(f"{error}\n")
        sys.exit(REFUSED)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)


def _prepare_environment(argv: Sequence[str]) -> None:
    """Take what decides about the settings before they are read."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    chosen = os.environ.get("DJANGO_SETTINGS_MODULE", "console.settings")
    parser.add_argument("--settings", default=chosen)
    if argv[1:2] == ["demo"]:
        parser.add_argument("--data")
    given, _ = parser.parse_known_args(argv[1:])
    os.environ["DJANGO_SETTINGS_MODULE"] = given.settings
    if data_dir := getattr(given, "data", None):
        os.environ["DATA_DIR"] = data_dir
    if AS_OWNER.intersection(argv[1:2]):
        os.environ["DATABASE_ROLE"] = "owner"


@contextmanager
def _servers(argv: Sequence[str]) -> Iterator[None]:
    # Reading the settings makes the keys.
    with plain_errors(Path(os.environ.get("DATA_DIR") or ".data")):
        where, endpoints = layout(settings.DATA_DIR), settings.SERVERS
    words = set(argv[1:])
    if not words or argv[1] in WITHOUT_SERVERS or words & {"-h", "--help", "--version"}:
        yield
    else:
        with running(where, endpoints):
            yield
