"""Every operation of the OpenAPI document, asked with what nobody thought of, by every role."""

from __future__ import annotations

from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import Case
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from console.api.documents import document
from tests.scenarios.refunds import Desk

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]
LONGEST_WAIT_S = 1
cases = schemathesis.openapi.from_dict(document()).as_strategy()


@pytest.fixture(scope="module")
def ids(stack) -> dict[str, str]:
    """Things that are there, so that more than 404 is answered; none that other tests need."""
    refund = Desk(stack).refund()
    return {
        "run_id": refund.run["id"],
        "call_id": refund.call["id"],
        "approval_id": refund.call["approval"],
    }


@pytest.mark.drill
@pytest.mark.parametrize("user", ["agent", "reviewer", "support", "admin", None])
@given(case=cases)
@settings(
    max_examples=200,
    deadline=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)
def test_no_answer_is_undocumented(case: Case[Any], user, stack, ids):
    if case.path_parameters:
        case.path_parameters = {
            name: ids.get(name, value) for name, value in case.path_parameters.items()
        }
    if isinstance(case.query.get("wait"), int):
        case.query["wait"] = min(case.query["wait"], LONGEST_WAIT_S)
    token = {"Authorization": f"Bearer {stack.tokens[user]}"} if user else {}

    case.call_and_validate(base_url=stack.url, headers=token, checks=CHECKS)
