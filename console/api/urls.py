"""Where each resource of the API lies; whatever is not listed is not found."""

from __future__ import annotations

from django.urls import URLPattern, path, re_path

from console.api.approvals import (
    ApprovalCollection,
    ApprovalResource,
    DecisionCollection,
    RevocationCollection,
)
from console.api.artifacts import ArtifactResource
from console.api.authority import AuthorityResource
from console.api.base import NothingHere
from console.api.commands import CommandCollection
from console.api.continuations import ContinuationCollection
from console.api.desk import ObservationCollection, SettlementCollection
from console.api.documents import DocsPage, SchemaResource
from console.api.erasures import ErasureCollection
from console.api.event_links import CauseCollection, EffectCollection, EventResource
from console.api.event_types import EventSchemaResource, EventTypeCollection
from console.api.events import EventCollection
from console.api.evidence import EvidenceResource
from console.api.feed import FeedCollection
from console.api.health import healthz, readyz
from console.api.members import MemberCollection, MemberResource
from console.api.policies import (
    ActivationCollection,
    PolicyCollection,
    PolicyVersionCollection,
    WithdrawalCollection,
)
from console.api.readings import AuditResource, TrajectoryResource
from console.api.receipts import ReceiptResource
from console.api.runs import RunCollection, RunResource
from console.api.sessions import AppendCollection, RepairCollection, SessionResource
from console.api.tokens import TokenCollection, TokenResource
from console.api.tool_calls import ToolCallCollection, ToolCallResource
from console.api.webhooks import StripeWebhook

V1 = "api/v1"

urlpatterns: list[URLPattern] = [
    path("healthz", healthz),
    path("readyz", readyz),
    path("webhooks/stripe/<str:account>", StripeWebhook.as_view()),
    path(f"{V1}/events", FeedCollection.as_view()),
    path(f"{V1}/runs", RunCollection.as_view()),
    path(f"{V1}/runs/<uuid:run_id>", RunResource.as_view()),
    path(f"{V1}/runs/<uuid:run_id>/events", EventCollection.as_view()),
    path(f"{V1}/runs/<uuid:run_id>/audit", AuditResource.as_view()),
    path(f"{V1}/runs/<uuid:run_id>/trajectory", TrajectoryResource.as_view()),
    path(f"{V1}/events/<uuid:event_id>", EventResource.as_view()),
    path(f"{V1}/events/<uuid:event_id>/causes", CauseCollection.as_view()),
    path(f"{V1}/events/<uuid:event_id>/effects", EffectCollection.as_view()),
    path(f"{V1}/runs/<uuid:run_id>/artifacts/<uuid:artifact_id>", ArtifactResource.as_view()),
    path(f"{V1}/runs/<uuid:run_id>/tool-calls", ToolCallCollection.as_view()),
    path(f"{V1}/runs/<uuid:run_id>/commands", CommandCollection.as_view()),
    path(f"{V1}/runs/<uuid:run_id>/continuations", ContinuationCollection.as_view()),
    path(f"{V1}/runs/<uuid:run_id>/session", SessionResource.as_view()),
    path(f"{V1}/runs/<uuid:run_id>/session/appends", AppendCollection.as_view()),
    path(f"{V1}/runs/<uuid:run_id>/session-repairs", RepairCollection.as_view()),
    path(f"{V1}/tool-calls/<uuid:call_id>", ToolCallResource.as_view()),
    path(f"{V1}/tool-calls/<uuid:call_id>/settlements", SettlementCollection.as_view()),
    path(f"{V1}/tool-calls/<uuid:call_id>/observations", ObservationCollection.as_view()),
    path(f"{V1}/approvals", ApprovalCollection.as_view()),
    path(f"{V1}/approvals/<uuid:approval_id>", ApprovalResource.as_view()),
    path(f"{V1}/approvals/<uuid:approval_id>/evidence", EvidenceResource.as_view()),
    path(f"{V1}/approvals/<uuid:approval_id>/decisions", DecisionCollection.as_view()),
    path(f"{V1}/approvals/<uuid:approval_id>/revocations", RevocationCollection.as_view()),
    path(f"{V1}/commands/<path:command_id>", ReceiptResource.as_view()),
    path(f"{V1}/members", MemberCollection.as_view()),
    path(f"{V1}/members/<str:username>", MemberResource.as_view()),
    path(f"{V1}/erasures", ErasureCollection.as_view()),
    path(f"{V1}/authority", AuthorityResource.as_view()),
    path(f"{V1}/policies", PolicyCollection.as_view()),
    path(f"{V1}/policies/<slug:name>/versions", PolicyVersionCollection.as_view()),
    path(f"{V1}/policies/<slug:name>/activations", ActivationCollection.as_view()),
    path(f"{V1}/policies/<slug:name>/withdrawals", WithdrawalCollection.as_view()),
    path(f"{V1}/tokens", TokenCollection.as_view()),
    path(f"{V1}/tokens/<uuid:token_id>", TokenResource.as_view()),
    path(f"{V1}/event-types", EventTypeCollection.as_view()),
    path(
        f"{V1}/event-types/<str:event_type>/versions/<int:version>", EventSchemaResource.as_view()
    ),
    path(f"{V1}/schema/", SchemaResource.as_view(), name="api_schema"),
    path(f"{V1}/docs/", DocsPage.as_view(), name="api_docs"),
    # A line break may be part of a path, too.
    re_path(r"^api(/[\s\S]*)?\Z", NothingHere.as_view()),
]
