from __future__ import annotations

import json

import jsonschema  # type: ignore[import-untyped]
import pytest
from django.test import Client

from console.catalogue import catalogue
from runtime.event_types import registered
from tests.console.api.client import V1

VALIDATOR = jsonschema.Draft202012Validator
SCHEMAS = [version.schema for event in catalogue().values() for version in event.versions]


def get(path, **headers):
    return Client(headers=headers).get(f"{V1}/event-types{path}")


def test_every_version_that_can_be_read_is_in_the_catalogue():
    known = [(event.event_type, event.schema_version) for event in registered()]

    listed = [
        (event.name, version.number) for event in catalogue().values() for version in event.versions
    ]

    assert listed == known


@pytest.mark.parametrize("event", catalogue().values(), ids=lambda event: event.name)
def test_every_type_says_who_writes_it_what_it_means_and_how_old_ones_are_read(event):
    *older, newest = event.versions

    assert event.writers
    assert all(version.meaning for version in event.versions)
    assert all(version.upcast for version in older)
    assert newest.upcast is None


def test_every_schema_is_valid_and_has_a_name_of_its_own():
    for schema in SCHEMAS:
        VALIDATOR.check_schema(schema)

    assert len({schema["$id"] for schema in SCHEMAS}) == len(SCHEMAS)


def test_a_schema_refuses_what_the_class_refuses():
    schema = catalogue()["approval.voted"].versions[0].schema
    voted = {
        "person": "01900000-0000-7000-8000-000000000001",
        "decision": "approve",
        "reason_code": None,
        "note": None,
        "command_id": "c",
    }

    assert VALIDATOR(schema).is_valid(voted)
    assert not VALIDATOR(schema).is_valid(voted | {"seen": None})
    assert not VALIDATOR(schema).is_valid(voted | {"decision": "shrug"})
    assert not VALIDATOR(schema).is_valid({"decision": "approve"})


def test_the_catalogue_is_served_without_a_token_and_leads_to_every_schema():
    answer = get("")

    page = answer.json()
    assert (answer.status_code, page["next"]) == (200, None)
    (voted,) = [each for each in page["items"] if each["event_type"] == "approval.voted"]
    assert (voted["newest"], voted["writers"]) == (2, ["approvals/handlers/decide.py"])
    served = [
        Client().get(version["schema"]).json()
        for each in page["items"]
        for version in each["versions"]
    ]
    assert served == SCHEMAS


@pytest.mark.parametrize("accept", ["*/*", "application/json", "application/schema+json"])
def test_a_schema_is_served_as_one_whatever_is_asked_for(accept):
    answer = get("/approval.voted/versions/1", accept=accept)

    assert answer.status_code == 200
    assert answer.headers["Content-Type"] == "application/schema+json"
    assert json.loads(answer.content)["$id"] == "urn:countersign:event:approval.voted:1"


@pytest.mark.parametrize("path", ["/approval.voted/versions/9", "/no.such/versions/1"])
def test_a_version_that_never_was_is_not_found(path):
    answer = get(path)

    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")
    assert answer.headers["Content-Type"] == "application/problem+json"


def test_the_catalogue_is_only_read():
    answer = Client().post(f"{V1}/event-types")

    assert (answer.status_code, answer.json()["code"]) == (405, "method_not_allowed")
