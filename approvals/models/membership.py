"""Who belongs to a workspace, as what, and the tokens they act through."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from approvals.states import Role
from runtime.ids import new_id
from runtime.models import Person, Workspace


class LimitGroup(models.Model):
    """People who share a row of limits."""

    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="+")
    name = models.SlugField(max_length=60)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["workspace", "name"], name="one_limit_group_per_name")
        ]

    def __str__(self) -> str:
        return self.name


class Membership(models.Model):
    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="memberships")
    person = models.ForeignKey(Person, models.PROTECT, related_name="memberships")
    role = models.CharField(max_length=10, choices=[(role.value, role.value) for role in Role])
    owner = models.ForeignKey(Person, models.PROTECT, null=True, related_name="+")
    groups = models.ManyToManyField(LimitGroup, related_name="memberships")
    active = models.BooleanField(default=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["workspace", "person"], name="one_membership_per_person"
            ),
            models.CheckConstraint(
                condition=~Q(role=Role.AGENT) | Q(owner__isnull=False),
                name="an_agent_has_an_owner",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.person} as {self.role}"


class AccessToken(models.Model):
    """A bearer token: bound to one workspace and person, kept only as a hash."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="+")
    person = models.ForeignKey(Person, models.PROTECT, related_name="+")
    creator = models.ForeignKey(Person, models.PROTECT, related_name="+")
    secret_hash = models.CharField(max_length=64, unique=True)
    scopes = models.JSONField()
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField(null=True)
    last_used_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"token {self.id}"
