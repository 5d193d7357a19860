"""Whatever an address or a form holds, a page answers, and nothing is written."""

from __future__ import annotations

from urllib.parse import urlencode

import pytest

from runtime.models import Event, Receipt
from tests.factories import make_approval

PARAMETERS = ["q", "status", "show", "cursor", "before", "receipt", "step", "reason_code", "kept"]
FIELDS = ["command_id", "revision", "digest", "reason_code", "note"]
BAD = ["\x00", "a\x00b", "9" * 5000, "-1", "1e9", "☃" * 3000, "a\nb", "../", "%ff", "\ud800"]


@pytest.fixture
def approval(world):
    return make_approval(world)


@pytest.mark.parametrize("parameter", PARAMETERS)
def test_a_bad_parameter_is_answered_by_a_page(signed_in, approval, parameter):
    client = signed_in("reviewer").client
    places = ["", "runs/", f"runs/{approval.run_id}/", f"approvals/{approval.pk}/"]
    before = Event.objects.count()

    statuses = {
        client.get(
            f"/w/demo/{place}", {parameter: bad.encode("utf-8", "surrogatepass")}
        ).status_code
        for place in places
        for bad in BAD
    }

    assert statuses <= {200, 404}
    assert Event.objects.count() == before


@pytest.mark.parametrize(
    ("field", "bad"),
    [
        *((field, bad) for field in FIELDS for bad in ("a\x00b", "9" * 5000)),
        ("revision", str(2**53)),
        ("digest", "\ud800" * 64),
        ("reason_code", "\ud800"),
    ],
)
def test_a_bad_field_goes_back_to_the_form_and_decides_nothing(signed_in, approval, field, bad):
    browser = signed_in("reviewer")
    page = browser.open(f"/w/demo/approvals/{approval.pk}/?step=approve")
    sent = {**page.forms[f"decision-{approval.pk}"].fields, "decision": "approve"}
    sent[field] = bad
    before = Event.objects.count()

    answer = browser.client.post(
        f"/w/demo/approvals/{approval.pk}/decide/",
        urlencode(sent, errors="surrogatepass"),
        content_type="application/x-www-form-urlencoded",
    )

    approval.refresh_from_db()
    assert answer.status_code == 302
    assert (approval.status, Event.objects.count(), Receipt.objects.count()) == (
        "pending",
        before,
        0,
    )


def test_a_command_id_is_one_line(signed_in, approval):
    browser = signed_in("reviewer")
    page = browser.open(f"/w/demo/approvals/{approval.pk}/?step=approve")
    fields = page.forms[f"decision-{approval.pk}"].fields

    browser.client.post(
        f"/w/demo/approvals/{approval.pk}/decide/",
        {**fields, "decision": "approve", "command_id": "a\nb"},
    )

    approval.refresh_from_db()
    assert (approval.status, Receipt.objects.count()) == ("pending", 0)
