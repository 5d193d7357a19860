"""Approvals, the votes cast on them, and the one row that says one was spent."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from approvals.models.policy import PolicyVersion
from approvals.states import APPROVAL_OPEN, ApprovalStatus, Decision, Purpose, ReasonCode
from runtime.ids import new_id
from runtime.models import Person, Run, ToolCall, Workspace


class Approval(models.Model):
    """A question bound to one exact effect, or to what is said of it, and what became of it."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="+")
    run = models.ForeignKey(Run, models.PROTECT, related_name="approvals")
    tool_call = models.ForeignKey(ToolCall, models.PROTECT, related_name="approvals")
    status = models.CharField(
        max_length=12,
        choices=[(status.value, status.value) for status in ApprovalStatus],
        default=ApprovalStatus.PENDING,
    )
    purpose = models.CharField(
        max_length=12,
        choices=[(purpose.value, purpose.value) for purpose in Purpose],
        default=Purpose.EFFECT,
    )
    # Who says that the call was executed, and the ids of what they show for it.
    claim = models.JSONField(null=True)
    policy = models.ForeignKey(PolicyVersion, models.PROTECT, related_name="+")
    policy_decision_id = models.UUIDField()
    revision = models.PositiveIntegerField()
    arguments = models.TextField()
    artifact = models.UUIDField(null=True)
    digest = models.CharField(max_length=64)
    amount_minor = models.BigIntegerField()
    currency = models.CharField(max_length=3)
    target = models.CharField(max_length=200)
    risk = models.CharField(max_length=20)
    needed = models.PositiveSmallIntegerField()
    conflicts = models.JSONField(default=list)
    requested_at = models.DateTimeField()
    decide_by = models.DateTimeField()
    use_by = models.DateTimeField(null=True)
    hold_until = models.DateTimeField(null=True)
    granted_at = models.DateTimeField(null=True)
    settled_by = models.CharField(max_length=100, null=True)
    settled_at = models.DateTimeField(null=True)
    settled_code = models.CharField(max_length=60, null=True)
    successor = models.UUIDField(null=True)
    last_event = models.UUIDField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["tool_call"],
                condition=Q(status__in=sorted(APPROVAL_OPEN)),
                name="one_open_approval_per_call",
            ),
            models.CheckConstraint(
                condition=~Q(status__in=[ApprovalStatus.GRANTED, ApprovalStatus.CONSUMED])
                | Q(use_by__isnull=False, granted_at__isnull=False),
                name="a_grant_has_a_time_to_be_used_by",
            ),
            models.CheckConstraint(
                condition=Q(purpose=Purpose.EFFECT, claim__isnull=True)
                | Q(purpose=Purpose.SETTLEMENT, claim__isnull=False),
                name="a_settlement_has_its_claim",
            ),
        ]
        indexes = [
            models.Index(fields=["workspace", "status", "decide_by"], name="approvals_by_urgency"),
            models.Index(fields=["workspace", "target"], name="approvals_by_payment"),
        ]

    def __str__(self) -> str:
        return f"approval {self.status}"


class Vote(models.Model):
    approval = models.ForeignKey(Approval, models.PROTECT, related_name="votes")
    person = models.ForeignKey(Person, models.PROTECT, related_name="+")
    decision = models.CharField(max_length=10, choices=[(d.value, d.value) for d in Decision])
    reason_code = models.CharField(
        max_length=20, choices=[(code.value, code.value) for code in ReasonCode], null=True
    )
    note = models.UUIDField(null=True)
    cast_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["approval", "person", "decision"], name="one_vote_of_a_kind_per_person"
            )
        ]

    def __str__(self) -> str:
        return f"{self.decision} by {self.person_id}"


class Consumption(models.Model):
    """An approval is spent when this row exists; its key allows one."""

    approval = models.OneToOneField(
        Approval, models.PROTECT, primary_key=True, related_name="consumption"
    )
    tool_call = models.ForeignKey(ToolCall, models.PROTECT, related_name="+")
    consumed_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"consumed at {self.consumed_at}"
