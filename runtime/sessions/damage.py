"""A session in doubt as an admin finds it: what is there, and what was meant."""

from __future__ import annotations

from runtime.models import AgentSession, Run, SessionItem, SessionWrite
from runtime.session_events import Verdict
from runtime.sessions.repairs import Damage
from runtime.sessions.store import read_texts
from runtime.sessions.writing import batch_of


def damage_of(run: Run, session: AgentSession) -> Damage | None:
    """None where the session is not in doubt."""
    if run.session_doubt is None:
        return None
    writes = SessionWrite.objects.select_related("run")
    write = writes.get(pk=run.session_write) if run.session_write else None
    return Damage(
        verdict=Verdict(run.session_doubt),
        observed=tuple(read_texts(session)),
        pending=tuple(batch_of(write)) if write else (),
        made=_made(session, write) if write else 0,
    )


def _made(session: AgentSession, write: SessionWrite) -> int:
    """How many items the append has brought."""
    own = SessionItem.objects.filter(session=session, append__attempt_token=write.attempt_token)
    return own.count()
