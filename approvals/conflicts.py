"""Who stands behind a run and may therefore never decide about it. Pure."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final, get_args
from uuid import UUID

from approvals.events import Because, Conflict

ORDER: Final[tuple[Because, ...]] = get_args(Because)


@dataclass(frozen=True, slots=True, kw_only=True)
class Behind:
    """The people behind a question: found in the rows, or added by a declaration."""

    initiator: UUID | None = None
    ticket_author: UUID | None = None
    agent_owner: UUID | None = None
    token_creators: Collection[UUID] = ()
    proposal_editors: Collection[UUID] = ()
    policy_authors: Collection[UUID] = ()
    beneficiary_owner: UUID | None = None
    settlement_proposers: Collection[UUID] = ()


def conflicts(behind: Behind) -> tuple[Conflict, ...]:
    """Pairs of person and reason, each once, in a stable order."""
    pairs: set[tuple[Because, UUID | None]] = {
        ("initiator", behind.initiator),
        ("ticket_author", behind.ticket_author),
        ("agent_owner", behind.agent_owner),
        ("beneficiary_owner", behind.beneficiary_owner),
        *(("token_creator", person) for person in behind.token_creators),
        *(("proposal_editor", person) for person in behind.proposal_editors),
        *(("policy_author", person) for person in behind.policy_authors),
        *(("settlement_proposer", person) for person in behind.settlement_proposers),
    }
    known = [(because, person) for because, person in pairs if person is not None]
    known.sort(key=lambda pair: (ORDER.index(pair[0]), pair[1]))
    return tuple(Conflict(person=person, because=because) for because, person in known)


def reasons(against: Collection[Conflict], hands: Collection[UUID]) -> tuple[str, ...]:
    """`hands`: who acts, each of whom must stand clear."""
    return tuple(conflict.because for conflict in against if conflict.person in hands)
