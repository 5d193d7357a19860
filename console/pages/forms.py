"""What a page may send: forms that are the only way in, each making its command."""

from __future__ import annotations

from typing import Any

from django import forms
from django.http import HttpRequest

from approvals.commands import (
    DecideApproval,
    EvidencePiece,
    ObserveOutcome,
    RevokeApproval,
    SettleCall,
)
from approvals.states import Decision, ReasonCode
from console.pages.kept import LONGEST_NOTE, LONGEST_REASON
from console.view_models.phrases import REASONS
from console.view_models.receipts import REFUSED
from runtime.handlers import RunCommand, RunCommandKind
from runtime.states import SettledAs

# No column of ours holds a larger one.
LARGEST_NUMBER = 2**31 - 1
REASON_CHOICES = [(code.value, words) for code, words in REASONS.items()]


class Asked(forms.Form):
    """What an address may ask of a page."""

    q = forms.CharField(required=False)
    status = forms.CharField(required=False)
    show = forms.CharField(required=False)
    cursor = forms.CharField(required=False)
    before = forms.IntegerField(min_value=1, max_value=LARGEST_NUMBER, required=False)
    receipt = forms.CharField(max_length=200, required=False)
    step = forms.CharField(required=False)
    kept = forms.BooleanField(required=False)


def asked(request: HttpRequest) -> dict[str, Any]:
    """Answer what the address asks for; what makes no sense is as good as not asked."""
    form = Asked(request.GET)
    form.is_valid()
    return {name: form.cleaned_data.get(name) for name in form.fields}


def printable(text: str) -> None:
    if not text.isprintable():
        raise forms.ValidationError("Only printable characters.")


class Choice(forms.ChoiceField):
    """What was sent instead is not repeated: it may be of any length."""

    default_error_messages = {"invalid_choice": "Choose one of those offered."}


class CommandForm(forms.Form):
    """Every form carries the id of its command, made by the server with the page."""

    command_id = forms.CharField(max_length=200, strip=False, validators=[printable])

    @property
    def complaints(self) -> dict[str, str]:
        """The first error of each field, in words."""
        return {name: str(errors[0]) for name, errors in self.errors.items()}


class DecisionForm(CommandForm):
    decision = Choice(choices=[(each.value, each.value) for each in Decision])
    revision = forms.IntegerField(min_value=1, max_value=LARGEST_NUMBER)
    digest = forms.RegexField(r"^[0-9a-f]{64}$")
    reason_code = Choice(choices=[("", ""), *REASON_CHOICES], required=False)
    note = forms.CharField(max_length=LONGEST_NOTE, required=False)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        rejects = cleaned.get("decision") == Decision.REJECT
        if rejects and not cleaned.get("reason_code") and "reason_code" not in self.errors:
            self.add_error("reason_code", forms.ValidationError(REFUSED["reason_required"]))
        return cleaned

    def command(self) -> DecideApproval:
        sent = self.cleaned_data
        return DecideApproval(
            command_id=sent["command_id"],
            decision=Decision(sent["decision"]),
            revision=sent["revision"],
            digest=sent["digest"],
            reason_code=ReasonCode(sent["reason_code"]) if sent["reason_code"] else None,
            # Browsers send each line end as two characters.
            note=sent["note"].replace("\r\n", "\n") or None,
        )


class RevocationForm(CommandForm):
    reason = forms.CharField(max_length=LONGEST_REASON)

    def command(self) -> RevokeApproval:
        return RevokeApproval(**self.cleaned_data)


class StatementForm(CommandForm):
    """What an admin says of one call of a run, and what they show for it."""

    call = forms.UUIDField()
    evidence = forms.CharField(max_length=LONGEST_NOTE)
    url = forms.CharField(max_length=LONGEST_NOTE, required=False)

    @property
    def shown(self) -> tuple[EvidencePiece, ...]:
        sent = self.cleaned_data
        text = sent["evidence"].replace("\r\n", "\n")
        return (EvidencePiece(text=text, url=sent["url"] or None),)


class SettlementForm(StatementForm):
    outcome = Choice(choices=[(each.value, each.value) for each in SettledAs])
    reason = forms.CharField(max_length=LONGEST_REASON)
    result_ref = forms.CharField(max_length=200, required=False, validators=[printable])

    def command(self) -> SettleCall:
        sent = self.cleaned_data
        return SettleCall(
            command_id=sent["command_id"],
            outcome=SettledAs(sent["outcome"]),
            evidence=self.shown,
            reason=sent["reason"],
            result_ref=sent["result_ref"] or None,
        )


class ObservationForm(StatementForm):
    status = Choice(choices=[(each, each) for each in ("confirmed_success", "confirmed_failure")])

    def command(self) -> ObserveOutcome:
        sent = self.cleaned_data
        return ObserveOutcome(
            command_id=sent["command_id"], status=sent["status"], evidence=self.shown
        )


class StopForm(CommandForm):
    reason = forms.CharField(max_length=LONGEST_REASON, required=False)

    def command(self) -> RunCommand:
        return RunCommand(
            command_id=self.cleaned_data["command_id"],
            kind=RunCommandKind.STOP,
            reason=self.cleaned_data["reason"] or None,
        )
