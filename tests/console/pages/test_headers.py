"""What every answer of a page carries, errors included."""

from __future__ import annotations

import pytest
from django.urls import path, reverse

from console.urls import urlpatterns as real
from tests.factories import make_approval

POLICY = (
    "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; "
    "object-src 'none'"
)
PAGES = ["/", "/w/demo/", "/w/demo/?show=settled", "/w/demo/runs/"]
ERRORS = ["/w/nowhere/", "/nothing", "/broken"]
INLINE = ["style=", "<style", "<script>", "onclick=", "javascript:"]


def broken(_request):
    raise ZeroDivisionError


class Urls:
    urlpatterns = [*real, path("broken", broken)]


@pytest.fixture
def opened(world, signed_in, settings):
    settings.ROOT_URLCONF = Urls
    approval = make_approval(world)
    client = signed_in("reviewer").client
    client.raise_request_exception = False
    more = [
        reverse("approval", args=["demo", approval.pk]),
        reverse("run", args=["demo", approval.run_id]),
        reverse("decide", args=["demo", approval.pk]),
    ]
    return [client.get(address) for address in (*PAGES, *ERRORS, *more)]


def test_every_page_has_the_strict_policy(opened):
    policies = {tuple(sorted(each["Content-Security-Policy"].split("; "))) for each in opened}

    assert policies == {tuple(sorted(POLICY.split("; ")))}
    assert {each["X-Frame-Options"] for each in opened} == {"DENY"}


@pytest.mark.parametrize("inline", INLINE)
def test_nothing_is_inline(opened, inline):
    assert [each.request["PATH_INFO"] for each in opened if inline in each.text] == []


def test_pages_are_never_taken_from_a_cache(opened):
    found = [each for each in opened if each.status_code == 200]

    assert {("no-store" in each["Cache-Control"]) for each in found} == {True}


def test_each_page_has_one_main(opened):
    pages = [each for each in opened if each.status_code in {200, 404, 500}]

    assert [each.text.count("<main") for each in pages] == [1] * 8
