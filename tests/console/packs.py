"""Evidence packs of real approvals, and the script that checks them as whoever gets one runs it."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

from django.conf import settings

from approvals.models import Approval
from console.anchors import anchoring
from console.packs import taken_pack, written
from runtime.evidence import EvidenceText
from runtime.providers.answers import Completed
from tests.factories import World, make_approval, observe, reject
from tests.handoffs import make_sent
from tests.runtime.anchors.lab import anchored

SCRIPT = settings.BASE_DIR / "docs" / "verify_evidence.py"
Pack = dict[str, Any]


def pack_of(approval: Approval) -> Pack:
    pack: Pack = json.loads(written(taken_pack(approval, by=None)))
    return pack


def paid(world: World, **changes) -> Approval:
    """An approval granted, spent, paid and anchored; somebody came too late to reject it."""
    carrier = EvidenceText(label="Carrier", text="Lost on 3 May", url="https://carrier.example/1")
    paying = Completed(result_ref="re_1")
    call = make_sent(world, answer=paying, evidence=(carrier,), **changes)
    approval = Approval.objects.get(tool_call=call)
    reject(world, "reviewer2", approval, note="I would not")
    observe(call)
    anchored(anchoring())
    return approval


def rejected(world: World) -> Approval:
    approval = make_approval(world)
    reject(world, "reviewer", approval, note="No parcel was lost")
    anchored(anchoring())
    approval.refresh_from_db()
    return approval


def checked(pack: Pack, tmp_path, *options: str) -> tuple[int, list[str]]:
    """The exit status of the script, and what it says does not hold or cannot be known."""
    path = tmp_path / "pack.json"
    path.write_text(json.dumps(pack))
    ended = subprocess.run(
        [sys.executable, "-I", str(SCRIPT), str(path), *options],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.stderr == ""
    return ended.returncode, ended.stdout.splitlines()


def failures(said: list[str]) -> list[str]:
    return [line.removeprefix("FAIL ") for line in said if line.startswith("FAIL")]
