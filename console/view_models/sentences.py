"""Each fact of a run's log as one sentence for people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from console.view_models.phrases import CLOSED
from runtime.money import display

# Braces name payload fields; ids among them are replaced by names.
SENTENCES: Final[Mapping[str, str]] = {
    "run.started": "{agent} started the run",
    "run.stop_requested": "A stop was requested",
    "run.stopped": "The run stopped",
    "run.completed": "The agent ended the run",
    "run.failed": "The run broke off",
    "session.write_intended": "What the agent means to append is on record (items: {batch_count})",
    "session.write_classified": "The session's history: {verdict}",
    "session.repaired": "An admin repaired the session: {action}",
    "continuation.granted": "The agent may go on",
    "continuation.denied": "The agent may not go on: {because}",
    "tool.call.proposed": "The agent proposed {amount} to {target}",
    "tool.call.revised": "The agent changed the proposal: {amount} to {target}",
    "tool.call.authorized": "The call may leave",
    "tool.call.held_up": "It does not go on for now: {code}",
    "tool.call.authorization_lost": "The authorization was lost: {detail}",
    "tool.call.refused": "The call was refused: {detail}",
    "tool.call.cancellation_requested": "Cancelling the call was requested",
    "tool.call.cancelled": "The call was cancelled",
    "tool.call.found_irreversible": "The stop came too late: the request had already left",
    "tool.call.dispatching": "The intent to send is on record",
    "tool.call.aborted": "The call was pulled back: {detail}",
    "tool.call.accepted": "The provider accepted the call ({result_ref})",
    "tool.call.completed": "Nothing is left to execute ({result_ref})",
    "tool.call.failed": "The call failed: {detail}",
    "tool.call.result_unknown": "The answer was lost; the result is unknown",
    "tool.call.reconciling": "The provider is asked what it has",
    "tool.call.handed_off": "No look-up can tell; a person has to settle it: {detail}",
    "tool.call.settled": "Settled on the word of {by}: {outcome}",
    "tool.attempt.opened": "Attempt {number} was opened",
    "tool.attempt.sent": "The request was sent",
    "tool.attempt.closed": "The attempt ended: {close}",
    "tool.attempt.answered_late": "A late answer was seen and not acted on",
    "payment.observed": "The payment was read at the provider",
    "policy.decided": "Policy {policy} version {version}: {verdict}",
    "outcome.observed": "{by} says that {status}",
    "outcome.pending": "The outcome waits for confirmation",
    "outcome.confirmed_success": "Refunded, confirmed by a {source}",
    "outcome.confirmed_failure": "Not refunded, confirmed by a {source}",
    "outcome.inconclusive": "The outcome cannot be seen",
    "case.opened": "A case was opened: {kind}",
    "case.closed": "The case was closed",
    "approval.requested": "A person was asked to decide about {amount} to {target}",
    "approval.settlement_requested": "{by} says that it was executed; another admin was asked",
    "approval.voted": "{person} voted: {decision}",
    "approval.granted": "Approved by {by}",
    "approval.rejected": "Rejected by {by}",
    "approval.expired": "Time ran out; nothing expires into a yes",
    "approval.cancelled": "The question was withdrawn",
    "approval.superseded": "The question was replaced by a newer version",
    "approval.consumed": "The approval was used, once and for good",
    "approval.revoked": "The approval was taken back by {by}",
    "approval.invalidated": "The approval no longer holds: {detail}",
}

VALUES: Final[Mapping[str, str]] = {
    "unchanged": "nothing of what was meant is there yet",
    "committed": "what was meant is there",
    "committed_then_extended": "what was meant is there, and more of the agent's own",
    "extended_by_others": "somebody else has written into it",
    "superseded": "somebody else has written in this one's place",
    "base_revision_moved": "somebody else has written before it",
    "partial": "only a part of what was meant is there",
    "duplicate": "more is there than was meant",
    "truncated": "items that were there are gone",
    "head_rewritten": "what was there before is not the same any more",
    "head_misstated": "it says something else of itself than its items do",
    "identity_mismatch": "it is not the session that was meant",
    "unreadable_version": "a newer version of this program wrote it",
    "adopt_observed": "it goes on as it is",
    "append_pending": "what was meant was appended to what is there",
    "discard_pending": "what was meant was given up",
    "facts_unreadable": "the payment cannot be read at the provider",
    "throttled": "the provider asks us to slow down",
    "provider_misconfigured": "the provider refuses our credentials",
    "go": "may leave without a person",
    "needs_person": "a person has to decide",
    "never": "never allowed",
    **{close.value: words for close, words in CLOSED.items()},
    "failed_after_success": "it failed after it was confirmed",
    "effect_after_failure": "an effect was seen after all",
    "answer": "provider's answer",
    "read": "later read",
    "webhook": "provider's notice",
    "person": "person",
    "completed": "it was executed",
    "failed": "the provider refused it",
    "not_executed": "nothing was executed",
    "confirmed_success": "the effect took place",
    "confirmed_failure": "the effect did not take place",
}


class _Fields(dict[str, str]):
    def __missing__(self, key: str) -> str:
        return "?"


def timeline_sentence(event_type: str, payload: Mapping[str, Any], names: Mapping[str, str]) -> str:
    """Say a fact; `names` maps ids in the payload to what people call them."""
    fields = _Fields({key: _say(value, names) for key, value in payload.items()})
    if gates := payload.get("gates"):
        fields["because"] = " ".join(dict.fromkeys(gate["reason"] for gate in gates))
    if {"amount_minor", "currency"} <= payload.keys():
        fields["amount"] = display(payload["amount_minor"], payload["currency"])
    template = SENTENCES.get(event_type, event_type.replace(".", " ").replace("_", " "))
    return template.format_map(fields)


def _say(value: Any, names: Mapping[str, str]) -> str:  # noqa: ANN401 -- any JSON value
    text = "?" if value is None else str(value)
    return names.get(text) or VALUES.get(text, text)
