"""Every page of the gallery: its template and what it is drawn from."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

from approvals.states import ApprovalStatus, Role
from console.view_models.approvals import EvidenceView, ReasoningView, VotesView
from console.view_models.banner import approval_banner
from console.view_models.bar import Viewer, decision_bar, run_actions
from console.view_models.events import TimelineLine
from console.view_models.inbox import FilterView, InboxView, by_urgency
from console.view_models.phrases import REASONS
from console.view_models.runs import RunsView
from console.view_models.sentences import timeline_sentence
from console.view_models.words import RUN, Shape, Tone
from runtime.states import AttemptClose, CallStatus, RunStatus, VerificationStatus
from tests.console.view_models import examples as an

S, C, V = ApprovalStatus, CallStatus, VerificationStatus


REVIEWER = Viewer(username="reviewer", role=Role.REVIEWER)


SUPPORT = Viewer(username="support", role=Role.SUPPORT)


ADMIN = Viewer(username="admin", role=Role.ADMIN, refusal="conflict_of_interest", may_reject=False)


DISPUTED = replace(REVIEWER, refusal="precondition_failed", broken="The payment is disputed.")


EVIL = "\u202egnp.exe\u200b <script>alert(1)</script> " + "long " * 300


def common(viewer: Viewer = REVIEWER, **extra: Any) -> dict[str, Any]:
    return {
        "workspace": {"slug": "demo", "name": "Demo"},
        "viewer": viewer,
        "waiting": 3,
        "now": an.NOW,
        "zone": "Europe/Stockholm",
        "csrf_token": "token",
        "reasons": [(code.value, words) for code, words in REASONS.items()],
        "commands": dict.fromkeys(("decide", "take_back", "revoke", "stop"), an.an_id(700)),
        **extra,
    }


def approval_page(approval, viewer=REVIEWER, step="", **extra):
    card = an.a_card(approval, **extra.pop("card", {}))
    return "approvals/page.html", common(
        viewer,
        card=card,
        banner=approval_banner(approval, an.NOW),
        bar=decision_bar(card, viewer, an.NOW),
        step=step,
        area="inbox",
        **extra,
    )


def run_page(run, cards, approvals=(), viewer=REVIEWER, **extra):
    decisions = [
        {
            "bar": decision_bar(an.a_card(approval), viewer, an.NOW),
            "step": "",
            "commands": common()["commands"],
        }
        for approval in approvals
    ]
    return "runs/page.html", common(
        viewer,
        run=run,
        cards=cards,
        lines=lines(),
        decisions=decisions,
        actions=run_actions(run, viewer),
        area="runs",
        **extra,
    )


def lines() -> list[TimelineLine]:
    facts: list[tuple[str, dict[str, Any], str, Tone]] = [
        ("run.started", {"agent": "refund-agent"}, "agent", Tone.QUIET),
        ("payment.observed", {}, "dispatch", Tone.QUIET),
        (
            "tool.call.proposed",
            {"amount_minor": 5800, "currency": "USD", "target": "pi_3QxT7LKz9f2mNa0R1b"},
            "agent",
            Tone.QUIET,
        ),
        (
            "policy.decided",
            {"policy": "refunds", "version": 1, "verdict": "needs_person"},
            "policy",
            Tone.QUIET,
        ),
        (
            "approval.requested",
            {"amount_minor": 5800, "currency": "USD", "target": "pi_3QxT7LKz9f2mNa0R1b"},
            "policy",
            Tone.ASK,
        ),
        ("approval.granted", {"by": "senior"}, "senior", Tone.GO),
        ("tool.call.dispatching", {}, "dispatch", Tone.GO),
        ("tool.call.result_unknown", {"code": "timeout"}, "dispatch", Tone.DOUBT),
        ("outcome.confirmed_success", {"source": "read"}, "reconcile", Tone.DONE),
    ]
    return [
        TimelineLine(
            position=number,
            at=an.NOW - timedelta(seconds=60 * (10 - number)),
            sentence=timeline_sentence(event_type, payload, {}),
            about="",
            actor=actor,
            event_type=event_type,
            tone=tone,
            because_of=number - 1 or None,
        )
        for number, (event_type, payload, actor, tone) in enumerate(facts, 1)
    ]


def notice(title: str, detail: str, tone: Tone, shape: Shape) -> dict[str, Any]:
    return {"title": title, "detail": detail, "tone": tone, "shape": shape, "at": an.NOW}


def inbox(cards, **extra):
    filters = (
        FilterView(label="Waiting", href="?", is_current=True),
        FilterView(label="For you", href="?mine=open", is_current=False),
        FilterView(label="Decided", href="?mine=decided", is_current=False),
    )
    view = InboxView(rows=by_urgency(cards), waiting=3, filters=filters)
    return "inbox/page.html", common(inbox=view, area="inbox", **extra)


def pages() -> dict[str, tuple[str, dict[str, Any]]]:
    big = an.an_approval(
        2,
        effect=an.an_effect(124_900, "USD", ("The card is put on the provider's block list.",)),
        decide_by=an.NOW + timedelta(minutes=4),
        votes=VotesView(needed=2, cast=(an.a_vote("reviewer2"),)),
    )
    yen = an.an_approval(3, effect=an.an_effect(5800, "JPY"))
    dinar = an.an_approval(4, effect=an.an_effect(1250, "KWD"), status=S.REJECTED)
    held = an.an_approval(5, S.GRANTED, hold_until=an.NOW + timedelta(seconds=9))
    held_mine = replace(held, votes=VotesView(needed=1, cast=(an.a_vote("reviewer"),)))
    evil = an.an_approval(
        6,
        effect=replace(an.an_effect(), sentence=EVIL, target=EVIL, also=(EVIL,)),
        reasoning=ReasoningView(
            summary=EVIL,
            evidence=(EvidenceView(label=EVIL, text=EVIL, url="https://paypal.com@evil.example/"),),
        ),
        preconditions=(an.a_check(EVIL, EVIL, ok=False),),
    )
    people = [
        ("reviewer", "Decides refunds up to $1,000"),
        ("senior", "Decides refunds up to $10,000"),
        ("support", "Reads everything, decides nothing"),
        ("admin", "Revokes approvals and settles what is unclear"),
    ]
    tickets = [{"ref": "4711", "title": "4711 · cracked lid, $58.00"}]
    unknown = an.a_call(
        101,
        C.RESULT_UNKNOWN,
        V.NOT_OBSERVED,
        dispatched_at=an.NOW - timedelta(seconds=60),
        last_error="The provider's answer was lost after 5 s.",
        attempts=(an.an_attempt(1, AttemptClose.UNKNOWN),),
    )
    done = an.a_call(
        102,
        C.COMPLETED,
        V.CONFIRMED_SUCCESS,
        dispatched_at=an.NOW,
        accepted_at=an.NOW,
        result_ref="re_3QxT7LKz9f2mNa0R1bPq",
        attempts=(an.an_attempt(1, AttemptClose.ANSWERED),),
    )
    used = an.an_approval(2, S.CONSUMED)
    return {
        "sign-in": (
            "sign_in.html",
            {
                "csrf_token": "t",
                "form": {"username": {"value": "reviewer"}},
                "demo_password": "demo",
                "demo_people": [{"username": name, "does": does} for name, does in people],
            },
        ),
        "inbox": inbox(
            [an.a_card(card) for card in (an.an_approval(), big, yen, dinar, evil)],
            demo_tickets=tickets,
            live_url="/ws/demo/inbox/",
        ),
        "inbox-empty": inbox([], waiting=0, health=["No dispatch worker heard for 15 s."]),
        "approval": approval_page(an.an_approval()),
        "approval-approve": approval_page(big, step="approve"),
        "approval-reject": approval_page(an.an_approval(), step="reject"),
        "approval-support": approval_page(an.an_approval(), SUPPORT),
        "approval-conflict": approval_page(an.an_approval(), ADMIN),
        "approval-over": approval_page(
            big,
            replace(REVIEWER, refusal="over_limit", needs="a senior", may_reject=False),
            notice=notice(
                "Nothing was changed. The amount is above your limit.",
                "It needs somebody of the group seniors.",
                Tone.STOP,
                Shape.CROSS,
            ),
        ),
        "approval-disputed": approval_page(an.an_approval(), DISPUTED),
        "approval-disputed-reject": approval_page(an.an_approval(), DISPUTED, step="reject"),
        "approval-revoke": approval_page(held, ADMIN, step="revoke"),
        "approval-hold": approval_page(
            held_mine,
            notice=notice("Approved. Your decision is on record.", "", Tone.DONE, Shape.CHECK),
        ),
        "approval-rejected": approval_page(dinar),
        "approval-superseded": approval_page(
            an.an_approval(7, S.SUPERSEDED), card={"successor": an.an_id(8)}
        ),
        "approval-evil": approval_page(evil),
        "run": run_page(
            an.a_run(),
            [an.a_call_card(), an.a_call_card(done, approval=used)],
            [an.an_approval(), big],
        ),
        "run-unknown": run_page(
            an.a_run(RunStatus.AWAITING_RECONCILIATION, "no_dispatch_worker"),
            [an.a_call_card(unknown, approval=used)],
            health=["No dispatch worker heard for 15 s."],
        ),
        "run-support": run_page(an.a_run(), [an.a_call_card()], [an.an_approval()], SUPPORT),
        "run-stop": run_page(an.a_run(), [an.a_call_card()], step="stop"),
        "runs": (
            "runs/list.html",
            common(
                area="runs",
                statuses=[(status.value, word.text) for status, word in RUN.items()],
                runs=RunsView(
                    runs=tuple(an.a_run(status) for status in RunStatus),
                    status="",
                    q="",
                    next="abc",
                ),
            ),
        ),
        "404": ("404.html", {}),
        "500": ("500.html", {}),
        "csrf": ("403_csrf.html", {"back": "/w/demo/"}),
    }
