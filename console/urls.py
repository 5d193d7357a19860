from __future__ import annotations

from django.urls import URLPattern, URLResolver, include, path

urlpatterns: list[URLPattern | URLResolver] = [
    path("", include("console.api.urls")),
    path("", include("console.pages.urls")),
]
handler400 = "console.api.problems.bad_request"
