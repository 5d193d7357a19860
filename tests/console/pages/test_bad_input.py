"""Whatever an address, a form or a cookie holds, a page answers, and nothing is written."""

from __future__ import annotations

from urllib.parse import urlencode

import pytest
from django.contrib.auth import SESSION_KEY
from django.urls import reverse

from approvals.models import Approval
from console.pages.forms import (
    Asked,
    DecisionForm,
    ObservationForm,
    RevocationForm,
    SettlementForm,
    StopForm,
)
from console.pages.urls import urlpatterns
from runtime.models import Event, Receipt
from tests.console.browser import Browser
from tests.factories import make_approval

PARAMETERS = [*Asked.base_fields, "as", "next"]
PAGES = ["sign_in", "inbox", "approval", "evidence", "runs", "run"]
COMMANDS = {
    "decide": ("reviewer", DecisionForm),
    "revoke": ("admin", RevocationForm),
    "stop": ("reviewer", StopForm),
    "settle": ("admin", SettlementForm),
    "observe": ("admin", ObservationForm),
}
FIELDS = [(name, field) for name, (_, form) in COMMANDS.items() for field in form.base_fields]
NUL, HALF, LONG, NINES = "a\x00b", "\ud800", "☃" * 200_000, "9" * 5000
BAD = [NUL, HALF, LONG, NINES, str(2**63), "a\nb"]
FORM = "application/x-www-form-urlencoded"
# Each makes something of a form that is no text, or fails to.
ENCODINGS = ["hex", "idna", "punycode", "unicode_escape", "utf-7", "utf-16", "rot13", "undefined"]


@pytest.fixture
def approval(world):
    return make_approval(world)


@pytest.fixture
def at(approval):
    """Answer where a page or a command lies, by its name."""
    found = {"slug": "demo", "approval_id": approval.pk, "run_id": approval.run_id}
    wanted = {each.name: each.pattern.converters for each in urlpatterns}

    def address(name: str) -> str:
        return reverse(name, kwargs={key: found[key] for key in wanted[name]})

    return address


@pytest.fixture
def written(approval):
    """Answer what an approval and the log have come to."""

    def count():
        approval.refresh_from_db()
        return approval.status, Event.objects.count(), Receipt.objects.count()

    return count


def raw(values: dict[str, str]) -> str:
    return urlencode(values, errors="surrogatepass")


def send(browser, at, command, changes):
    """Send the form of this command as its page offers it, or would, but for what is changed."""
    page = browser.open(at("approval" if command in {"decide", "revoke"} else "run"))
    fields = next(
        (form.fields for form in page.forms.values() if form.action.endswith(f"/{command}/")),
        {"command_id": "typed", "call": str(Approval.objects.get().tool_call_id)},
    )
    fills = {
        "decision": "reject",
        "reason_code": "other",
        "note": "Seen",
        "reason": "By mistake",
        "evidence": "Their statement",
        "outcome": "failed",
        "status": "confirmed_failure",
    }
    sent = fields | {
        name: fills[name] for name in COMMANDS[command][1].base_fields if name in fills
    }
    return browser.client.post(at(command), raw(sent | changes), content_type=FORM)


def test_every_page_and_command_is_among_those_tried():
    assert {each.name for each in urlpatterns} == {*PAGES, *COMMANDS, "sign_out", "send_ticket"}


@pytest.mark.parametrize("parameter", PARAMETERS)
def test_a_bad_parameter_is_answered_by_every_page(signed_in, at, written, parameter):
    client, before = signed_in("reviewer").client, written()

    statuses = {
        client.get(f"{at(page)}?{raw({parameter: bad})}").status_code
        for page in PAGES
        for bad in BAD
    }

    # 400: Django follows no address of more than 2,048 characters. 403: evidence is for admins.
    assert statuses <= {200, 302, 400, 403, 404}
    assert written() == before


def test_signing_in_takes_anything_for_a_name_nobody_has(world):
    client = Browser().client
    client.get("/")
    token = client.cookies["csrftoken"].value
    fills = [{"username": bad, "password": "demo"} for bad in BAD]
    fills += [{"username": "reviewer", "password": bad} for bad in BAD]

    asked = {client.get(f"/?{raw({'as': bad, 'next': bad})}").status_code for bad in BAD}
    sent = {
        client.post("/", raw(fill | {"csrfmiddlewaretoken": token}), content_type=FORM).status_code
        for fill in fills
    }

    assert (asked, sent) == ({200}, {200})
    assert SESSION_KEY not in client.session


@pytest.mark.parametrize(("command", "field"), FIELDS)
def test_a_bad_field_goes_back_to_its_page_and_does_nothing(signed_in, at, written, command, field):
    browser, before = signed_in(COMMANDS[command][0]), written()

    for bad in (NUL, LONG, NINES):
        answer = send(browser, at, command, {field: bad})
        shown = browser.open(answer.url)

        assert (answer.status_code, browser.status) == (302, 200)
        assert "Nothing was changed." in shown.html
        assert (len(answer.url) < 200, len(shown.html) < 100_000) == (True, True)
        assert written() == before


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_id_is_one_printable_line(signed_in, at, written, command):
    browser, before = signed_in(COMMANDS[command][0]), written()

    for bad in ("a\nb", "a\n", "\u202e", "a" * 201, ""):
        send(browser, at, command, {"command_id": bad})

        assert written() == before


def test_a_revision_is_one_that_a_question_can_have(signed_in, at, written):
    browser, before = signed_in("reviewer"), written()

    for bad in ("0", "-1", "1.5", "x", str(2**31), str(2**53), str(2**64)):
        send(browser, at, "decide", {"revision": bad})

        assert written() == before


@pytest.mark.parametrize(("command", "field"), FIELDS)
def test_half_a_character_is_answered_by_a_page(signed_in, at, command, field):
    browser = signed_in(COMMANDS[command][0])

    answer = send(browser, at, command, {field: HALF})
    browser.open(answer.url)

    assert (answer.status_code, browser.status) == (302, 200)


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_no_form_is_taken_in_another_encoding(signed_in, at, written, encoding):
    client, before = signed_in("reviewer").client, written()
    body = b'--B\r\nContent-Disposition: form-data; name="note"\r\n\r\n\\ud800\r\n--B--\r\n'
    multipart = f"multipart/form-data; boundary=B; charset={encoding}"

    forms = [
        client.generic("POST", address, body, kind).status_code
        for address in (at("sign_in"), at("decide"))
        for kind in (multipart, f"{FORM}; charset={encoding}")
    ]
    search = client.generic("GET", f"{at('runs')}?q=%5Cud800", b"", f"text/x; charset={encoding}")

    assert (forms, search.status_code) == ([400] * 4, 200)
    assert written() == before


@pytest.mark.parametrize("name", ["sessionid", "csrftoken"])
@pytest.mark.parametrize("value", ['"\\000aaaaaaaaaaaa"', "a" * 5000, "é" * 12])
def test_a_cookie_that_is_none_of_ours_is_no_cookie(at, name, value):
    client = Browser().client

    statuses = [
        client.generic("GET", at(page), HTTP_COOKIE=f"{name}={value}").status_code
        for page in ("sign_in", "inbox")
    ]

    assert statuses == [200, 302]


def test_a_form_of_many_megabytes_is_refused_whole(signed_in, at, written):
    browser, before = signed_in("reviewer"), written()

    answer = send(browser, at, "decide", {"note": "a" * 3_000_000})

    assert answer.status_code == 400
    assert written() == before
