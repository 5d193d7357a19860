"""Which socket shows what."""

from __future__ import annotations

from django.urls import path, re_path

from console.live.sockets import InboxSocket, RunSocket, nothing_here

routes = [
    path("ws/<slug:workspace>/inbox/", InboxSocket()),  # type: ignore[arg-type] # an ASGI app
    path("ws/<slug:workspace>/runs/<uuid:run_id>/", RunSocket()),  # type: ignore[arg-type]
    re_path(r"", nothing_here),  # type: ignore[arg-type]
]
