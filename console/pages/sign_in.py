"""Sign in and out."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib.auth import logout
from django.contrib.auth.views import LoginView
from django.http import (
    HttpRequest,
    HttpResponse,
    HttpResponseBase,
    HttpResponseRedirect,
)
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_POST

from console.live.notices import session_ended
from console.members import home_of
from console.pages.demo import demo_people
from console.view_models.receipts import NoticeView
from console.view_models.words import Shape, Tone

HOMELESS = NoticeView(
    title="You belong to no workspace.",
    detail="Ask an admin to add you, or sign in as somebody else.",
    at=None,
    tone=Tone.STOP,
    shape=Shape.CROSS,
)


class SignIn(LoginView):
    """One form; whoever is signed in already goes where they wanted to go, or home."""

    template_name = "sign_in.html"

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:  # noqa: ANN401
        is_known = request.user.is_authenticated and not request.GET.get("as")
        if request.method != "POST" and is_known and (address := self._destination()):
            return HttpResponseRedirect(address)
        return super().dispatch(request, *args, **kwargs)

    def get_success_url(self) -> str:
        return self._destination() or reverse("sign_in")

    def get_initial(self) -> dict[str, Any]:
        return {"username": self.request.GET.get("as", "")}

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:  # noqa: ANN401
        context = super().get_context_data(**kwargs)
        if self.request.user.is_authenticated and not self._destination():
            context["notice"] = HOMELESS
        if settings.DEMO:
            context |= demo_people()
        return context

    def _destination(self) -> str | None:
        person = self.request.user
        if address := self.get_redirect_url():
            return address
        slug = home_of(person) if person.is_authenticated else None
        return reverse("inbox", args=[slug]) if slug else None


@require_POST
def sign_out(request: HttpRequest) -> HttpResponse:
    ended = request.session.session_key
    logout(request)
    if ended:
        session_ended(ended)
    return redirect("sign_in")
