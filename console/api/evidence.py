"""The evidence pack of an approval: what was seen, who decided, and proofs to check elsewhere."""

from __future__ import annotations

from uuid import UUID

from rest_framework.request import Request
from rest_framework.response import Response

from console.api.approvals import visible_approvals
from console.api.base import ApiView, answer, found
from console.api.permissions import Act, require
from console.api.schema import describe
from console.packs import taken_pack
from console.view_models.packs import EvidencePack


class EvidenceResource(ApiView):
    @describe(
        "read_evidence",
        "Everything about one approval, to be checked offline; each reading is on record",
        answers={200: EvidencePack},
        problems={403: "not_authorized", 404: "not_found"},
    )
    def get(self, _request: Request, approval_id: UUID) -> Response:
        approval = found(visible_approvals(self.caller), approval_id)
        require(self.caller, Act.ADMINISTER)
        return answer(taken_pack(approval, by=self.caller.actor))
