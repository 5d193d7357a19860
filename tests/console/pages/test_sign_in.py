from __future__ import annotations

import pytest
from django.contrib.auth import SESSION_KEY

from tests.console.browser import Browser
from tests.factories import make_approval


def test_one_form_leads_to_the_workspace(world):
    browser = Browser()
    browser.open("/")

    page = browser.sign_in("reviewer")

    assert (page.address, browser.status) == ("/w/demo/", 200)


def test_a_permalink_survives_signing_in(world):
    approval = make_approval(world)
    browser = Browser()
    address = f"/w/demo/approvals/{approval.pk}/?step=approve"
    browser.open(address)

    page = browser.sign_in("reviewer")

    assert page.address == address


def test_whoever_is_signed_in_goes_home_at_once(signed_in):
    assert signed_in("reviewer").open("/").address == "/w/demo/"


@pytest.mark.parametrize("password", ["", "wrong", "demo "])
def test_a_wrong_password_signs_nobody_in(world, password):
    browser = Browser()
    browser.open("/")

    page = browser.sign_in("reviewer", password)

    assert "do not go together" in page.html
    assert SESSION_KEY not in browser.client.session


@pytest.mark.parametrize("address", ["//evil.example/", "https://evil.example/", "javascript:1"])
def test_no_address_elsewhere_is_gone_to(world, address):
    browser = Browser()
    browser.open(f"/?next={address}")

    assert browser.sign_in("reviewer").address == "/w/demo/"


def test_a_superuser_without_membership_has_no_home(world, django_user_model):
    django_user_model.objects.create_superuser("root", password="demo")
    browser = Browser()
    browser.open("/")

    page = browser.sign_in("root")

    assert (page.address, "You belong to no workspace." in page.html) == ("/", True)


def test_signing_out_ends_the_session(signed_in):
    browser = signed_in("reviewer")
    browser.open("/w/demo/")

    page = browser.press("Sign out")

    assert (page.address, SESSION_KEY in browser.client.session) == ("/", False)


def test_a_link_signs_nobody_out(signed_in):
    browser = signed_in("reviewer")

    browser.open("/sign-out/")

    assert (browser.status, SESSION_KEY in browser.client.session) == (405, True)


def test_the_demo_fills_in_the_name_and_names_its_people(world, settings):
    settings.DEMO = True
    browser = Browser()

    page = browser.open("/?as=senior")

    assert page.forms["form 0"].fields["username"] == "senior"
    assert "Approves up to 10,000 USD" in page.html


def test_nobody_is_named_outside_the_demo(world):
    assert "Who is who" not in Browser().open("/").html
