from __future__ import annotations

import re

import pytest
from django.core.management import call_command
from django.test import Client

from console.api.documents import document
from tests.console.api.client import V1


def test_the_document_is_valid_and_raises_no_warning(tmp_path):
    call_command("spectacular", validate=True, fail_on_warn=True, file=str(tmp_path / "api.yaml"))


def test_the_document_is_served_as_json_without_a_token():
    answer = Client().get(f"{V1}/schema/")

    assert answer.headers["Content-Type"] == "application/json"
    assert answer.json() == document()


def test_every_operation_names_its_general_refusals():
    for path, methods in document()["paths"].items():
        for method, described in methods.items():
            assert {"401", "406", "413", "500", "503"} <= described["responses"].keys(), path
            if "{" in path or method == "delete":
                assert "404" in described["responses"], path
            if "requestBody" in described:
                assert {"400", "403", "415", "422"} <= described["responses"].keys(), path


def test_a_body_is_described_as_it_is_read():
    shapes = document()["components"]["schemas"]

    assert shapes["DecisionBody"]["additionalProperties"] is False
    assert shapes["DecisionBody"]["required"] == ["command_id", "decision", "revision", "digest"]
    assert shapes["DecisionBody"]["properties"]["digest"]["pattern"] == "^[0-9a-f]{64}$"


def test_the_page_shows_every_operation_and_has_no_inline_script_or_style():
    page = Client().get(f"{V1}/docs/", headers={"Accept": "text/html"})

    text = page.content.decode()
    assert page.status_code == 200
    assert page.headers["Content-Type"] == "text/html; charset=utf-8"
    for path, methods in document()["paths"].items():
        for method in methods:
            assert f"{method.upper()} {path}" in text
    assert re.findall(r"<script(?![^>]* src=)|<style| style=| on\w+=", text) == []


@pytest.mark.parametrize("path", ["/schema/", "/docs/"])
def test_the_documents_are_only_read(path):
    answer = Client().post(V1 + path)

    assert (answer.status_code, answer.json()["code"]) == (405, "method_not_allowed")
