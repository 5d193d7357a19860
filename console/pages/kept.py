"""What somebody typed into a form that could not be taken: kept in the session until it is."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from typing import Final
from uuid import UUID

from django.db.models import Q
from django.http import HttpRequest

from console.view_models.receipts import REFUSED, NoticeView
from console.view_models.words import Shape, Tone
from runtime.models import Run
from runtime.texts import Vault, about_person, about_run, vault

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
    if found is None:
        return None
    for keys in _vaults(request):
        # What none of them opens was about, or by, somebody who was erased meanwhile.
        with suppress(ValueError):
            return Kept(**json.loads(keys.unlock(found)))
    return None


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
    words = json.dumps(asdict(what))
    kept = [(page, keys.lock(words)) for keys in _vaults(request)[:1]]
    request.session[KEY] = dict([*others, *kept])


def _vaults(request: HttpRequest) -> list[Vault]:
    """For what is about whomever the run is about: by whoever is signed in, or by nobody known."""
    page = _page(request)
    run = Run.objects.filter(Q(pk=page) | Q(approvals=page)).first() if _is_id(page) else None
    if run is None:
        return []
    about, user = about_run(run), request.user
    whose = [(about, about_person(user.pk)), (about,)] if user.is_authenticated else [(about,)]
    return [vault(run.workspace_id, *each) for each in whose]


def _is_id(page: str) -> bool:
    try:
        UUID(page)
    except ValueError:
        return False
    return True


def _all(request: HttpRequest) -> dict[str, str]:
    return dict(request.session.get(KEY, {}))


def _page(request: HttpRequest) -> str:
    """Name the approval or the run."""
    match = request.resolver_match
    ids = match.kwargs if match else {}
    return str(ids.get("approval_id") or ids.get("run_id") or ids.get("slug"))
