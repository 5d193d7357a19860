"""A browser without scripts: it reads pages, follows links, and sends the forms it finds."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser
from urllib.parse import urlencode, urljoin, urlsplit

from django.test import Client

from approvals.models import Approval

PASSWORD = "demo"


@dataclass
class Form:
    method: str
    action: str
    fields: dict[str, str] = field(default_factory=dict)


@dataclass
class Button:
    form: str
    attributes: dict[str, str]
    text: str = ""


class Page(HTMLParser):
    """What a page offers: its forms by id (or place), its buttons and its ids."""

    def __init__(self, address: str, html: str) -> None:
        super().__init__()
        self.address, self.html = address, html
        self.forms: dict[str, Form] = {}
        self.buttons: list[Button] = []
        self.elements: dict[str, dict[str, str]] = {}
        self._form = ""
        self._button: Button | None = None
        self._select = self._textarea = ""
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        attributes = {name: value or "" for name, value in attrs}
        if "id" in attributes:
            self.elements[attributes["id"]] = attributes
        if tag == "form":
            self._form = attributes.get("id") or f"form {len(self.forms)}"
            action = attributes.get("action", self.address)
            self.forms[self._form] = Form(attributes.get("method", "get"), action)
        elif tag == "button":
            self._button = Button(attributes.get("form", self._form), attributes)
            self.buttons.append(self._button)
        elif self._form:
            self._read_field(tag, attributes)

    def _read_field(self, tag, attributes):
        match tag:
            case "input" if "name" in attributes:
                self.fields[attributes["name"]] = attributes.get("value", "")
            case "textarea":
                self._textarea = attributes["name"]
                self.fields[self._textarea] = ""
            case "select":
                self._select = attributes["name"]
            case "option" if "selected" in attributes or self._select not in self.fields:
                self.fields[self._select] = attributes.get("value", "")

    def handle_endtag(self, tag):
        match tag:
            case "form":
                self._form = ""
            case "button":
                self._button = None
            case "textarea":
                self._textarea = ""

    def handle_data(self, data):
        if self._button:
            self._button.text += data
        if self._textarea:
            self.fields[self._textarea] += data

    @property
    def fields(self) -> dict[str, str]:
        return self.forms[self._form].fields

    def button(self, text: str) -> Button:
        found = [each for each in self.buttons if each.text.startswith(text)]
        assert len(found) == 1, (text, [each.text for each in self.buttons])
        return found[0]

    def offers(self) -> list[str]:
        """The buttons about approvals and runs, by their first word."""
        frame = {"Sign", "Search", "Send"}
        return [word for each in self.buttons if (word := each.text.split()[0]) not in frame]


class Browser:
    """Keeps cookies, sends CSRF tokens and its origin like any form, follows every redirect."""

    def __init__(self) -> None:
        self.client = Client(enforce_csrf_checks=True, headers={"Origin": "http://testserver"})
        self.page: Page | None = None
        self.status = 0

    def open(self, address: str) -> Page:
        return self._show(self.client.get(address, follow=True), address)

    def press(self, text: str, **typed: str) -> Page:
        """Fill in a button's form and press it."""
        assert self.page is not None
        button = self.page.button(text)
        form = self.page.forms[button.form]
        sent = {**form.fields, **typed}
        if "name" in button.attributes:
            sent[button.attributes["name"]] = button.attributes.get("value", "")
        address = button.attributes.get("formaction", form.action)
        address = urljoin(self.page.address, address).partition("#")[0]
        if form.method != "post":
            return self.open(f"{address.partition('?')[0]}?{urlencode(sent)}")
        return self._show(self.client.post(address, sent, follow=True), address)

    def sign_in(self, username: str, password: str = PASSWORD) -> Page:
        return self.press("Sign in", username=username, password=password)

    def _show(self, answer, address) -> Page:
        last = answer.redirect_chain[-1][0] if answer.redirect_chain else address
        self.status = answer.status_code
        self.answer = answer
        self.page = Page(urlsplit(last)._replace(scheme="", netloc="").geturl(), answer.text)
        return self.page


def at(approval: Approval, query: str = "") -> str:
    return f"/w/demo/approvals/{approval.pk}/{query}"
