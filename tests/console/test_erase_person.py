"""The operator's way to erase somebody: asked twice, told in counts, refused in one line."""

from __future__ import annotations

import io
import sys

import pytest
from django.core.management import CommandError

from approvals.models import WorkspaceChange
from runtime.models import PersonalKey
from tests.console.commands import run_command
from tests.factories import make_call, make_run

ADA = {"order_id": "o-1", "customer": "ada"}
WHOM = ("--workspace", "demo", "--customer", "ada", "--reason", "asked")


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def run(world):
    return make_run(world, subject=ADA, goal="Help Ada")


def erased():
    return PersonalKey.objects.filter(wrapped=None).exists()


def test_somebody_at_a_terminal_is_told_how_much_and_asked(run, monkeypatch):
    monkeypatch.setattr(sys, "stdin", Terminal("yes\n"))

    said = run_command("erase_person", *WHOM)

    assert said == ["To be erased for ever: 2 texts in 1 runs.", "Erased: 2 texts in 1 runs."]
    change = WorkspaceChange.objects.get(kind="person.erased")
    assert (change.actor, change.surface, change.subject) == ("operator", "command line", run.about)


@pytest.mark.parametrize("typed", ["no\n", "\n", "y\n"])
def test_anything_but_yes_erases_nothing(run, monkeypatch, typed):
    monkeypatch.setattr(sys, "stdin", Terminal(typed))

    with pytest.raises(CommandError, match=r"Nothing was erased\."):
        run_command("erase_person", *WHOM)

    assert not erased()


def test_a_program_has_to_say_yes(run, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO("yes\n"))

    with pytest.raises(CommandError, match="give --yes"):
        run_command("erase_person", *WHOM)

    assert not erased()


def test_what_is_in_the_way_is_named(world, run):
    call = make_call(world, run)

    with pytest.raises(CommandError, match=str(call.pk)):
        run_command("erase_person", *WHOM, "--yes")

    assert not erased()


def test_somebody_nobody_knows_is_a_refusal(run):
    with pytest.raises(CommandError, match="Nothing is kept about such a person"):
        run_command(
            "erase_person", "--workspace", "demo", "--order", "else", "--reason", "other", "--yes"
        )

    assert not erased()
