"""Runs, their calls and the attempts at them, projected from the log."""

from __future__ import annotations

from enum import StrEnum

from django.db import models
from django.db.models import F, Q

from runtime.ids import new_id
from runtime.models.identity import Person, Workspace
from runtime.states import (
    CALL_FINAL,
    AttemptClose,
    AttemptStatus,
    CallStatus,
    HeldUp,
    VerificationStatus,
)

NO_DIGEST = "0" * 64
NOT_YET_SENT = [
    CallStatus.PROPOSED,
    CallStatus.AUTHORIZED,
    CallStatus.REFUSED,
    CallStatus.CANCELLED,
]


# What a worker may claim: permitted, on its way, in doubt, or executed and not yet seen to be.
CALLS_UNDER_WAY = Q(
    execution_status__in=[
        CallStatus.AUTHORIZED,
        CallStatus.DISPATCHING,
        CallStatus.RESULT_UNKNOWN,
        CallStatus.RECONCILING,
    ]
) | Q(
    execution_status__in=[CallStatus.ACCEPTED, CallStatus.COMPLETED],
    verification_status=VerificationStatus.PENDING,
)
# Executed and seen to be, which a provider may take back.
CALLS_WATCHED = Q(verification_status=VerificationStatus.CONFIRMED_SUCCESS)
SESSION_WRITE_OPEN = Q(session_write__isnull=False, session_doubt=None, ended_as=None)


def choices(states: type[StrEnum]) -> list[tuple[str, str]]:
    return [(state.value, state.value) for state in states]


class Run(models.Model):
    """One job of one agent. Its row is the lock of everything inside it."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="runs")
    head = models.PositiveBigIntegerField(default=0)
    head_hash = models.CharField(max_length=64)
    agent = models.CharField(max_length=200, default="")
    account = models.ForeignKey(Person, models.PROTECT, related_name="+")
    token = models.UUIDField(null=True)
    harness = models.CharField(max_length=10, default="external")
    goal = models.UUIDField(null=True)
    success_criterion = models.UUIDField(null=True)
    subject = models.UUIDField(null=True)
    order_key = models.CharField(max_length=64, null=True)
    about = models.CharField(max_length=100, null=True)
    initiator = models.UUIDField(null=True)
    ticket = models.UUIDField(null=True)
    ticket_author = models.UUIDField(null=True)
    session_write = models.UUIDField(null=True)
    session_doubt = models.CharField(max_length=40, null=True)
    session_revision = models.PositiveBigIntegerField(default=0)
    session_count = models.PositiveBigIntegerField(default=0)
    session_digest = models.CharField(max_length=64, default=NO_DIGEST)
    started_at = models.DateTimeField(null=True)
    stop_requested_at = models.DateTimeField(null=True)
    ended_as = models.CharField(max_length=10, null=True)
    ended_at = models.DateTimeField(null=True)
    last_event = models.UUIDField(null=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(ended_as=None, ended_at=None)
                | Q(ended_as__in=["stopped", "failed", "completed"], ended_at__isnull=False),
                name="a_run_ends_one_way_at_one_time",
            )
        ]
        indexes = [
            models.Index(fields=["workspace", "-id"], name="runs_newest_first"),
            models.Index(fields=["workspace", "order_key"], name="runs_by_order"),
            models.Index(fields=["workspace", "about"], name="runs_by_person"),
            models.Index(
                fields=["id"], name="runs_with_an_open_append", condition=SESSION_WRITE_OPEN
            ),
        ]

    def __str__(self) -> str:
        return f"run {self.id}"


class ToolCall(models.Model):
    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="+")
    run = models.ForeignKey(Run, models.PROTECT, related_name="tool_calls")
    turn_id = models.CharField(max_length=200, null=True)
    capability = models.CharField(max_length=100)
    intent = models.CharField(max_length=200)
    epoch = models.PositiveIntegerField(default=1)
    revision = models.PositiveIntegerField(default=1)
    retry_of = models.ForeignKey("self", models.PROTECT, null=True, related_name="successors")
    arguments = models.TextField()
    artifact = models.UUIDField(null=True)
    digest = models.CharField(max_length=64)
    amount_minor = models.BigIntegerField()
    currency = models.CharField(max_length=3)
    target = models.CharField(max_length=200)
    reasoning = models.UUIDField(null=True)
    evidence = models.JSONField(default=list)
    decide_within_s = models.PositiveIntegerField(null=True)
    idempotency_key = models.TextField()
    wire_key = models.CharField(max_length=43, null=True)
    external_request_id = models.CharField(max_length=64, null=True)
    provider_account = models.UUIDField(null=True)
    result_ref = models.CharField(max_length=200, null=True)
    execution_status = models.CharField(
        max_length=20, choices=choices(CallStatus), default=CallStatus.PROPOSED
    )
    verification_status = models.CharField(
        max_length=20,
        choices=choices(VerificationStatus),
        default=VerificationStatus.NOT_OBSERVED,
    )
    was_unknown = models.BooleanField(default=False)
    looked_up = models.PositiveIntegerField(default=0)
    not_before = models.DateTimeField(null=True)
    held_up_code = models.CharField(max_length=30, choices=choices(HeldUp), null=True)
    held_up_at = models.DateTimeField(null=True)
    proposed_at = models.DateTimeField()
    authorized_at = models.DateTimeField(null=True)
    dispatched_at = models.DateTimeField(null=True)
    accepted_at = models.DateTimeField(null=True)
    confirmed_at = models.DateTimeField(null=True)
    error_code = models.CharField(max_length=60, null=True)
    error_detail = models.TextField(null=True)
    last_event = models.UUIDField(null=True)
    # Who is working on this call now. Not a fact: it only keeps two workers apart.
    lease_token = models.PositiveBigIntegerField(default=0)
    lease_owner = models.CharField(max_length=200, null=True)
    lease_until = models.DateTimeField(null=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["workspace", "intent", "epoch"], name="one_call_per_intent_and_epoch"
            ),
            models.UniqueConstraint(
                fields=["workspace", "intent"],
                condition=~Q(execution_status__in=sorted(CALL_FINAL)),
                name="one_live_call_per_intent",
            ),
            models.UniqueConstraint(fields=["wire_key"], name="one_call_per_wire_key"),
            models.UniqueConstraint(
                fields=["external_request_id"], name="one_call_per_external_request"
            ),
            models.CheckConstraint(
                condition=Q(execution_status__in=NOT_YET_SENT)
                | Q(
                    external_request_id__isnull=False,
                    wire_key__isnull=False,
                    dispatched_at__isnull=False,
                ),
                name="a_call_that_may_have_left_names_its_request",
            ),
            models.CheckConstraint(
                condition=~Q(execution_status=CallStatus.COMPLETED) | Q(result_ref__isnull=False),
                name="a_completed_call_has_its_result",
            ),
            models.CheckConstraint(
                condition=Q(accepted_at=None) | Q(accepted_at__gte=F("dispatched_at")),
                name="a_call_is_accepted_after_its_dispatch",
            ),
            models.CheckConstraint(condition=Q(amount_minor__gt=0), name="amounts_are_positive"),
        ]
        indexes = [
            models.Index(fields=["workspace", "target"], name="calls_by_payment"),
            models.Index(fields=["id"], name="calls_under_way", condition=CALLS_UNDER_WAY),
            models.Index(fields=["confirmed_at"], name="calls_watched", condition=CALLS_WATCHED),
            models.Index(
                fields=["proposed_at"],
                name="calls_proposed",
                condition=Q(execution_status=CallStatus.PROPOSED),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.capability} {self.execution_status}"


class Attempt(models.Model):
    """One try at sending a call; all tries of a call carry the same wire key."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    tool_call = models.ForeignKey(ToolCall, models.PROTECT, related_name="attempts")
    number = models.PositiveIntegerField()
    status = models.CharField(
        max_length=10, choices=choices(AttemptStatus), default=AttemptStatus.OPENED
    )
    close = models.CharField(max_length=20, choices=choices(AttemptClose), null=True)
    code = models.CharField(max_length=60, null=True)
    lease_token = models.PositiveBigIntegerField()
    opened_at = models.DateTimeField()
    sent_at = models.DateTimeField(null=True)
    closed_at = models.DateTimeField(null=True)
    last_event = models.UUIDField(null=True)

    class Meta:
        ordering = ["number"]
        constraints = [
            models.UniqueConstraint(
                fields=["tool_call", "number"], name="attempts_are_numbered_once"
            ),
            models.UniqueConstraint(
                fields=["tool_call"],
                condition=~Q(status=AttemptStatus.CLOSED),
                name="one_open_attempt_per_call",
            ),
        ]

    def __str__(self) -> str:
        return f"attempt {self.number} {self.status}"
