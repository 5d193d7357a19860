"""Who may take an approval's evidence, by page and command; taking it is on record."""

from __future__ import annotations

import json
from datetime import datetime
from uuid import uuid4

import pytest
from django.core.management import CommandError

from approvals.models import Approval, WorkspaceChange
from console.anchors import anchoring
from runtime.event_rows import ENVELOPE_COLUMNS
from runtime.models import Event, PersonalText
from tests.console.browser import at
from tests.console.commands import run_command
from tests.console.packs import checked, failures, paid
from tests.factories import approve, make_approval, make_call, make_grant, make_run, observe
from tests.runtime.anchors.lab import anchored, grown


@pytest.fixture(autouse=True)
def anchors(settings, tmp_path):
    settings.ANCHOR_FILE = tmp_path / "anchors.jsonl"


def taken():
    rows = WorkspaceChange.objects.filter(kind="evidence.taken")
    return list(rows.values_list("subject", "actor", "surface", "token"))


def test_an_admin_downloads_it_from_the_approval_s_page(world, signed_in, tmp_path):
    approval = paid(world)
    browser = signed_in("admin")
    page = browser.open(at(approval))

    answer = browser.client.get(at(approval, "evidence/"))

    assert f'href="{at(approval, "evidence/")}" download' in page.html
    named = f'attachment; filename="evidence-{approval.pk}.json"'
    assert answer.headers["Content-Disposition"] == named
    assert answer.headers["Content-Type"] == "application/json"
    assert failures(checked(json.loads(answer.content), tmp_path)[1]) == []
    actor = f"person:{world.people['admin'].pk}"
    assert taken() == [(str(approval.pk), actor, "browser", None)]


@pytest.mark.parametrize("name", ["reviewer", "support"])
def test_whoever_is_no_admin_finds_no_link_and_gets_nothing(world, signed_in, name):
    approval = make_approval(world)
    browser = signed_in(name)

    page = browser.open(at(approval))
    answer = browser.client.get(at(approval, "evidence/"))

    assert "Download the evidence" not in page.html
    assert answer.status_code == 403
    assert taken() == []


def test_the_operator_exports_it(world, tmp_path):
    approval = paid(world)

    said = run_command("export_evidence", "--workspace=demo", f"--approval={approval.pk}")

    assert failures(checked(json.loads("\n".join(said)), tmp_path)[1]) == []
    assert taken() == [(str(approval.pk), "operator", "command line", None)]


def test_what_is_not_there_is_not_exported(world):
    approval = make_approval(world)

    for options in (
        ["--workspace=demo", f"--approval={uuid4()}"],
        ["--workspace=nowhere", f"--approval={approval.pk}"],
    ):
        with pytest.raises(CommandError):
            run_command("export_evidence", *options)
    assert taken() == []


def pack_by_operator(approval: Approval):
    said = run_command("export_evidence", "--workspace=demo", f"--approval={approval.pk}")
    return json.loads("\n".join(said))


def test_it_holds_the_log_as_stored_refused_commands_and_the_words_and_what_checks_them(world):
    approval = paid(world)

    pack = pack_by_operator(approval)

    rows = list(Event.objects.filter(run=approval.run_id).order_by("position"))
    assert [each["hash"] for each in pack["events"]] == [row.hash for row in rows]
    assert [each["body"] for each in pack["events"]] == [row.body for row in rows]
    envelope = json.loads(pack["events"][0]["envelope"])
    assert set(ENVELOPE_COLUMNS) < set(envelope)
    answers = [(each["receipt"]["code"], each["note"]) for each in pack["receipts"]]
    assert answers == [("ok", None), ("already_settled", "I would not")]
    assert pack["approval"]["reasoning"]["summary"] == "The parcel never arrived"
    assert pack["call"]["result_ref"] == "re_1"
    assert pack["policy"]["document"] == world.policy.document
    assert world.people["reviewer"].username in pack["people"].values()


def test_preconditions_are_judged_by_what_was_known_at_the_decision(world):
    approval = make_approval(world)
    seen = observe(approval.tool_call)
    approve(world, "reviewer", approval)
    observe(approval.tool_call, disputed=True)

    shown = pack_by_operator(approval)

    checks = shown["approval"]["preconditions"]
    assert {check["ok"] for check in checks} == {True}
    assert {datetime.fromisoformat(check["as_of"]) for check in checks} == {seen.as_of}
    assert len(shown["observations"]) == 2


def test_it_holds_no_secret_and_no_words_about_other_calls(world):
    approval = paid(world)
    make_call(world, approval.run, summary="About another parcel")

    pack = json.dumps(pack_by_operator(approval))

    assert "About another parcel" not in pack
    for secret in (world.secret, world.token.secret_hash):
        assert secret not in pack
    used = {text["id"] for text in json.loads(pack)["texts"]}
    assert used < {str(key) for key in PersonalText.objects.values_list("pk", flat=True)}


def test_it_has_every_anchor_of_its_run_and_none_of_another(world):
    run = make_run(world)
    anchored(anchoring())
    approval = make_grant(world, run)
    make_grant(world)
    anchored(anchoring())
    grown()
    anchored(anchoring())

    pack = pack_by_operator(approval)

    heads = [(anchor["run"], anchor["position"]) for anchor in pack["anchors"]]
    assert heads == [(str(run.pk), 1), (str(run.pk), len(pack["events"]))]
    workspaces = {json.loads(anchor["statement"])["workspace"] for anchor in pack["anchors"]}
    assert workspaces == {str(world.workspace.pk)}
