"""What somebody typed into a form that could not be taken: kept in the session until it is."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, Final

from django.http import HttpRequest

from console.view_models.receipts import REFUSED, NoticeView
from console.view_models.words import Shape, Tone

KEY: Final = "kept"
# Of so many pages; a session is no archive.
MOST_PAGES: Final = 8
LONGEST_NOTE: Final = 2000
LONGEST_REASON: Final = 500
LONGEST_CODE: Final = 40
STATEMENT: Final = ("call", "evidence", "url", "result_ref")
WHY: Final = {
    **REFUSED,
    "signed_out": "You were not signed in any more when you sent it.",
    "stale_form": "Your sign-in had changed since the page was opened.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """`why` is a code; `receipt` names the refused command whose receipt holds the note."""

    why: str
    note: str = ""
    reason: str = ""
    reason_code: str = ""
    receipt: str = ""
    # What was said about a call, and about which: no receipt has it.
    statement: dict[str, str] = field(default_factory=dict)
    errors: dict[str, str] = field(default_factory=dict)

    @property
    def notice(self) -> NoticeView:
        has_words = bool(self.note or self.reason or self.reason_code or self.statement)
        return NoticeView(
            title=f"Nothing was changed. {WHY.get(self.why, '')}".strip(),
            detail="What you had typed is still here." if has_words else "",
            at=None,
            tone=Tone.STOP,
            shape=Shape.CROSS,
        )


def keep_form(request: HttpRequest, *, why: str, errors: dict[str, str] | None = None) -> None:
    sent = request.POST
    _keep(
        request,
        Kept(
            why=why,
            note=sent.get("note", "")[:LONGEST_NOTE],
            reason=sent.get("reason", "")[:LONGEST_REASON],
            reason_code=sent.get("reason_code", "")[:LONGEST_CODE],
            statement=_statement(request),
            errors=errors or {},
        ),
    )


def keep_refused(request: HttpRequest, *, why: str, receipt: str) -> None:
    """Keep all but the note, which is on the receipt, encrypted."""
    chosen = request.POST.get("reason_code", "")[:LONGEST_CODE]
    statement = _statement(request)
    _keep(request, Kept(why=why, reason_code=chosen, receipt=receipt, statement=statement))


def kept_for(request: HttpRequest) -> Kept | None:
    """Answer what is kept for this page; looking takes nothing away."""
    found = _all(request).get(_page(request))
    return Kept(**found) if found else None


def forget(request: HttpRequest) -> None:
    """The command was taken in: nothing more is to be sent."""
    pages = _all(request)
    if pages.pop(_page(request), None):
        request.session[KEY] = pages


def _statement(request: HttpRequest) -> dict[str, str]:
    sent = request.POST
    return {name: sent[name][:LONGEST_NOTE] for name in STATEMENT if name in sent}


def _keep(request: HttpRequest, what: Kept) -> None:
    page, pages = _page(request), _all(request)
    pages.pop(page, None)
    others = list(pages.items())[-(MOST_PAGES - 1) :]
    request.session[KEY] = dict([*others, (page, asdict(what))])


def _all(request: HttpRequest) -> dict[str, dict[str, Any]]:
    return dict(request.session.get(KEY, {}))


def _page(request: HttpRequest) -> str:
    """Name the approval or the run."""
    match = request.resolver_match
    ids = match.kwargs if match else {}
    return str(ids.get("approval_id") or ids.get("run_id") or ids.get("slug"))
