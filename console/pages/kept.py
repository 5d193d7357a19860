"""What somebody typed into a form that could not be taken: kept in the session until it is."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Final

from django.http import HttpRequest

from console.view_models.receipts import REFUSED, NoticeView
from console.view_models.words import Shape, Tone

KEY: Final = "kept"
LONGEST_NOTE: Final = 2000
WHY: Final = {
    **REFUSED,
    "signed_out": "You were not signed in any more when you sent it.",
    "stale_form": "Your sign-in had changed since the page was opened.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """`why` is a code; `page` names the approval or the run."""

    page: str
    why: str
    note: str = ""
    reason_code: str = ""
    errors: dict[str, str] = field(default_factory=dict)

    @property
    def notice(self) -> NoticeView:
        return NoticeView(
            title=f"Nothing was changed. {WHY.get(self.why, '')}".strip(),
            detail="What you had typed is still here." if self.note or self.reason_code else "",
            at=None,
            tone=Tone.STOP,
            shape=Shape.CROSS,
        )


def keep_form(request: HttpRequest, *, why: str, errors: dict[str, str] | None = None) -> None:
    request.session[KEY] = asdict(
        Kept(
            page=_page(request),
            why=why,
            note=request.POST.get("note", "")[:LONGEST_NOTE],
            reason_code=request.POST.get("reason_code", "")[:40],
            errors=errors or {},
        )
    )


def kept_for(request: HttpRequest) -> Kept | None:
    """Answer what is kept for this page; looking takes nothing away."""
    stored = request.session.get(KEY)
    return Kept(**stored) if stored and stored["page"] == _page(request) else None


def forget(request: HttpRequest) -> None:
    """The command was taken in, so what was typed for it stands on its receipt."""
    if kept_for(request):
        del request.session[KEY]


def _page(request: HttpRequest) -> str:
    match = request.resolver_match
    ids = match.kwargs if match else {}
    return str(ids.get("approval_id") or ids.get("run_id") or ids.get("slug"))
