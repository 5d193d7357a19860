"""Where each page lies, and each command beside it."""

from __future__ import annotations

from django.urls import URLPattern, path

from console.pages import approvals, demo, desk, inbox, runs
from console.pages.sign_in import SignIn, sign_out

W = "w/<slug:slug>"

urlpatterns: list[URLPattern] = [
    path("", SignIn.as_view(), name="sign_in"),
    path("sign-out/", sign_out, name="sign_out"),
    path(f"{W}/", inbox.inbox, name="inbox"),
    path(f"{W}/tickets/", demo.send_ticket, name="send_ticket"),
    path(f"{W}/approvals/<uuid:approval_id>/", approvals.detail, name="approval"),
    path(f"{W}/approvals/<uuid:approval_id>/evidence/", approvals.evidence, name="evidence"),
    path(f"{W}/approvals/<uuid:approval_id>/decide/", approvals.decide, name="decide"),
    path(f"{W}/approvals/<uuid:approval_id>/revoke/", approvals.revoke, name="revoke"),
    path(f"{W}/runs/", runs.index, name="runs"),
    path(f"{W}/runs/<uuid:run_id>/", runs.detail, name="run"),
    path(f"{W}/runs/<uuid:run_id>/stop/", runs.stop, name="stop"),
    path(f"{W}/runs/<uuid:run_id>/settle/", desk.settle, name="settle"),
    path(f"{W}/runs/<uuid:run_id>/observe/", desk.observe, name="observe"),
]
