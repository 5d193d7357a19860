"""Every stored body is as the schema says that we give to others."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache

import jsonschema  # type: ignore[import-untyped]

from console.catalogue import catalogue
from runtime.models import Event, Run


def unlike_their_schemas(run: Run) -> Iterator[str]:
    for event in Event.objects.filter(run=run).order_by("position"):
        for error in validator(event.event_type, event.schema_version).iter_errors(
            json.loads(event.body)
        ):
            yield f"{event.position} {event.event_type}: {error.message}"


@cache
def validator(event_type: str, version: int):
    schema = catalogue()[event_type].versions[version - 1].schema
    checks = jsonschema.Draft202012Validator.FORMAT_CHECKER
    return jsonschema.Draft202012Validator(schema, format_checker=checks)
