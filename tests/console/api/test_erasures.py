from __future__ import annotations

import pytest

from runtime.models import PersonalKey
from runtime.texts import ERASED
from tests.console.api.client import problem
from tests.console.api.requests import propose, start

ADA = {"order_id": "order-001", "customer": "ada"}


@pytest.fixture
def run(here):
    return start(here.agent, subject=ADA, goal="Help Ada")


def erase(program, **body):
    return program.post("/erasures", {"command_id": "erase-1", "reason": "asked"} | body)


def test_an_admin_erases_a_customer_and_has_a_receipt(here, run):
    answer = erase(here.admin, customer="ada")

    receipt = answer.json()
    assert (answer.status_code, receipt["status"]) == (200, "applied")
    assert receipt["target"] == str(here.workspace.pk)
    seen = here.agent.get(f"/runs/{run}").json()
    assert (seen["goal"], seen["subject"]) == (ERASED, {"order_id": ERASED})
    assert erase(here.admin, customer="ada").json()["replayed"] is True


def test_an_order_can_be_looked_up_after_its_customer_is_erased_and_says_nothing(here, run):
    erase(here.admin, customer="ada")

    found = here.admin.get("/runs", {"q": "order-001"}).json()["items"]

    assert [(each["id"], each["subject"]) for each in found] == [(run, {"order_id": ERASED})]


def test_open_calls_are_named_and_nothing_is_erased(here, run):
    call = propose(here.agent, run)["id"]

    answer = erase(here.admin, customer="ada")

    assert problem(answer) == (409, "calls_open")
    assert answer.json()["tool_calls"] == [call]
    assert here.agent.get(f"/runs/{run}").json()["goal"] == "Help Ada"


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"customer": "ada", "order": "order-001"},
        {"customer": ""},
        {"customer": "ada", "reason": "Ada asked us to"},
        {"customer": "ada", "words": "more"},
    ],
)
def test_a_form_names_one_person_and_a_code(here, run, body):
    answer = erase(here.admin, **body)

    assert problem(answer) == (422, "invalid")
    assert not PersonalKey.objects.filter(wrapped=None).exists()


def test_an_erased_users_token_is_nobodys(here, run):
    reviewer = here.reviewer
    name = here.person("reviewer").username

    answer = erase(here.admin, user=name)

    assert answer.status_code == 200
    assert reviewer.get("/runs").status_code == 401
    names = [each["username"] for each in here.admin.get("/members").json()["items"]]
    assert name not in names
    assert f"erased-{here.person('reviewer').pk}" in names


def test_nobody_else_may_erase(here, run):
    answers = [erase(here.reviewer, customer="ada"), erase(here.agent, customer="ada")]

    assert [problem(answer) for answer in answers] == [(403, "not_authorized")] * 2
    assert here.agent.get(f"/runs/{run}").json()["goal"] == "Help Ada"


@pytest.mark.parametrize("customer", [7, "", {"name": "Ada"}, ["ada"]])
def test_a_customer_is_named_by_words(here, customer):
    body = {"order_id": "order-001", "customer": customer}

    answer = here.agent.post(
        "/runs",
        {
            "agent": "a",
            "goal": "g",
            "success_criterion": "s",
            "subject": body,
            "harness": "external",
        },
    )

    assert problem(answer) == (422, "invalid")


def test_a_customer_that_is_null_is_as_if_it_were_not_there(here):
    run = start(here.agent, subject={"order_id": "order-001", "customer": None})

    assert here.agent.get(f"/runs/{run}").json()["subject"] == {"order_id": "order-001"}
