"""Behind a proxy that speaks TLS: forms and sockets from the public address are our own."""

from __future__ import annotations

import re

import pytest
from django.http import HttpRequest
from django.test import Client

from console.origins import is_from_own_page

HOST = "countersign.example"
ORIGIN = f"https://{HOST}"


@pytest.fixture
def behind_proxy(settings):
    settings.ALLOWED_HOSTS = [HOST]
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")


def sign_in(scheme):
    """Sign in as a browser does over https, through a proxy that says which scheme it took."""
    headers = {"Host": HOST, "X-Forwarded-Proto": scheme}
    client = Client(enforce_csrf_checks=True, headers=headers)
    page = client.get("/").content.decode()
    token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page)
    assert token
    form = {"username": "reviewer", "password": "demo", "csrfmiddlewaretoken": token[1]}
    return client.post("/", form, headers={"Origin": ORIGIN})


def test_a_form_from_the_public_address_is_taken(world, behind_proxy):
    answer = sign_in("https")

    assert (answer.status_code, answer.headers["Location"]) == (302, "/w/demo/")


def test_a_form_is_refused_where_no_proxy_is_believed(world, settings):
    settings.ALLOWED_HOSTS = [HOST]

    assert sign_in("https").status_code == 403


@pytest.mark.parametrize(("scheme", "own"), [("https", True), ("http", False)])
def test_a_socket_is_held_to_the_same_origin(behind_proxy, scheme, own):
    request = HttpRequest()
    request.META = {"HTTP_HOST": HOST, "HTTP_ORIGIN": ORIGIN, "HTTP_X_FORWARDED_PROTO": scheme}

    assert is_from_own_page(request) is own
