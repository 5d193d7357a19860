"""Commands as the operator types them, and the lines they answer."""

from __future__ import annotations

import io

from django.core.management import call_command


def run_command(command: str, *options: str) -> list[str]:
    out = io.StringIO()
    call_command(command, *options, stdout=out)
    return out.getvalue().splitlines()
