from __future__ import annotations

from typing import Any
from uuid import UUID

from approvals.conflicts import Behind, conflicts, reasons

ANN, BOB, CAT, DAN, EVE, FAY, GUS = (UUID(int=number) for number in range(1, 8))


def pairs(behind):
    return [(conflict.person, conflict.because) for conflict in conflicts(behind)]


def test_everybody_behind_a_run_is_named_with_the_reason():
    behind = Behind(
        initiator=ANN,
        ticket_author=BOB,
        agent_owner=CAT,
        token_creators={DAN},
        proposal_editors={EVE},
        policy_authors={FAY},
        beneficiary_owner=GUS,
    )

    assert pairs(behind) == [
        (ANN, "initiator"),
        (BOB, "ticket_author"),
        (CAT, "agent_owner"),
        (DAN, "token_creator"),
        (EVE, "proposal_editor"),
        (FAY, "policy_author"),
        (GUS, "beneficiary_owner"),
    ]


def test_one_person_may_stand_behind_a_run_in_several_ways():
    behind = Behind(agent_owner=ANN, token_creators={ANN, BOB}, policy_authors={ANN})

    assert reasons(conflicts(behind), {ANN}) == ("agent_owner", "token_creator", "policy_author")
    assert reasons(conflicts(behind), {BOB}) == ("token_creator",)
    assert reasons(conflicts(behind), {CAT}) == ()


def test_leaving_the_initiator_out_changes_nothing_for_the_others():
    found: dict[str, Any] = {"agent_owner": CAT, "token_creators": {DAN}}

    declared = set(pairs(Behind(initiator=ANN, **found)))

    assert declared - {(ANN, "initiator")} == set(pairs(Behind(**found)))


def test_a_run_nobody_is_known_behind_has_no_conflicts():
    assert conflicts(Behind()) == ()
