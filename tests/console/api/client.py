"""A program as the tests play it; every answer is held against the OpenAPI document."""

from __future__ import annotations

import json
import re
from typing import Any

import jsonschema  # type: ignore[import-untyped]
from django.test import Client

from console.api.documents import document

V1 = "/api/v1"


class Program:
    """Speaks JSON with one bearer token; anything undocumented that comes back is an error."""

    def __init__(self, token: str | None) -> None:
        self.http = Client(headers={"Authorization": f"Bearer {token}"} if token else {})

    def get(self, path: str, query: dict[str, Any] | None = None, **headers):
        answer = self.http.get(V1 + path, query or {}, headers=headers)
        return documented("get", path, answer)

    def post(self, path: str, body: Any = None, **headers):
        return self.send(path, json.dumps(body).encode(), **headers)

    def send(self, path: str, raw: bytes, content_type="application/json", **headers):
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        answer = self.http.post(V1 + path, raw, content_type=content_type, headers=named)
        return documented("post", path, answer)

    def put(self, path: str, body: Any = None):
        return self.request("PUT", path, json.dumps(body))

    def patch(self, path: str, body: Any = None):
        return self.request("PATCH", path, json.dumps(body))

    def delete(self, path: str):
        return self.request("DELETE", path)

    def request(self, method: str, path: str, body: str = ""):
        answer = self.http.generic(method, V1 + path, body, content_type="application/json")
        return documented(method.lower(), path, answer)


def documented(method: str, path: str, answer):
    """Hold an answer against the document: its status, its media type and its body."""
    described = operation(method, path)
    if described is None:
        assert answer.status_code in {401, 404, 405}, answer.content
        return answer
    responses = described["responses"]
    assert str(answer.status_code) in responses, (answer.status_code, answer.content)
    content = responses[str(answer.status_code)].get("content")
    if content is None:
        assert answer.content == b""
        return answer
    schema = content[answer.headers["Content-Type"]]["schema"]
    jsonschema.Draft202012Validator({**schema, "components": document()["components"]}).validate(
        answer.json()
    )
    return answer


def operation(method: str, path: str):
    for template, methods in document()["paths"].items():
        pattern = re.sub(r"\{command_id\}", ".+", template)
        pattern = re.sub(r"\{(username|name)\}", "[^/]+", pattern)
        pattern = re.sub(r"\{\w+\}", "[0-9a-f-]{36}", pattern)
        if re.fullmatch(pattern, V1 + path):
            return methods.get(method)
    return None


def code(answer):
    """Its status and the code that says why."""
    return answer.status_code, answer.json()["code"]


def problem(answer):
    """Status and code of what must be a problem in the contract's form."""
    assert answer.headers["Content-Type"] == "application/problem+json"
    return code(answer)
