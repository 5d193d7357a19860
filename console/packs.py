"""Take an approval's evidence out of the system, and keep on record who did."""

from __future__ import annotations

from dataclasses import asdict, replace

from django.conf import settings
from django.db import transaction
from pydantic import TypeAdapter

from approvals.changes import OPERATOR, record_change
from approvals.models import Approval
from approvals.states import ChangeKind
from console.reads import evidence_pack
from console.view_models.packs import AnchorView, EvidencePack
from runtime.anchors.proofs import proofs_of
from runtime.commands import Actor
from runtime.event_log import Cause, lock_run

CAUSE = Cause(producer="evidence")
_adapter = TypeAdapter(EvidencePack)


def taken_pack(approval: Approval, *, by: Actor | None) -> EvidencePack:
    """Read it at one moment; it holds what people wrote, so that reading it leaves a record."""
    with transaction.atomic(durable=True):
        locked = lock_run(approval.run_id, cause=CAUSE)
        approval.refresh_from_db()
        made_by = by.name if by else OPERATOR
        pack = evidence_pack(approval, made_by=made_by, now=locked.now)
        kind = ChangeKind.EVIDENCE_TAKEN
        record_change(approval.workspace, kind, str(approval.pk), by=by)
    proofs = proofs_of(settings.ANCHOR_FILE, approval.run_id, upto=locked.run.head)
    return replace(pack, anchors=tuple(AnchorView(**asdict(proof)) for proof in proofs))


def written(pack: EvidencePack) -> bytes:
    return _adapter.dump_json(pack, indent=1)
