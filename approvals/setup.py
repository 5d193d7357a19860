"""Set up a workspace: its members, its policies and how much each group may approve."""

from __future__ import annotations

from collections.abc import Iterable

from django.db import transaction
from django.db.models import Max

from approvals.errors import NotPossibleError
from approvals.models import Authority, LimitGroup, Membership, PolicyVersion
from approvals.policies import PolicyDocument
from approvals.starter import DAY_FACTOR, LIMITS, REFUNDS
from approvals.states import Role
from runtime.event_log import database_now
from runtime.models import Person, Workspace


def create_workspace(slug: str, name: str, *, time_zone: str = "UTC") -> Workspace:
    if Workspace.objects.filter(slug=slug).exists():
        raise NotPossibleError(f"There is a workspace {slug} already.")
    return Workspace.objects.create(slug=slug, name=name, time_zone=time_zone)


@transaction.atomic
def add_member(
    workspace: Workspace,
    username: str,
    role: Role,
    *,
    groups: Iterable[str] = (),
    owner: Person | None = None,
) -> Membership:
    """Give an account a role, making the account (without a password) where there is none.

    Raises NotPossibleError for an agent without an owner, or a second membership.
    """
    if (role is Role.AGENT) != (owner is not None):
        raise NotPossibleError("An agent names its owner, and nobody else does.")
    person = Person.objects.filter(username=username).first()
    if person is None:
        person = Person.objects.create_user(username)
    if Membership.objects.filter(workspace=workspace, person=person).exists():
        raise NotPossibleError(f"{username} is a member of {workspace} already.")
    membership = Membership.objects.create(
        workspace=workspace, person=person, role=role, owner=owner
    )
    membership.groups.set([group(workspace, name) for name in groups])
    return membership


def group(workspace: Workspace, name: str) -> LimitGroup:
    found, _ = LimitGroup.objects.get_or_create(workspace=workspace, name=name)
    return found


def set_authority(
    limit_group: LimitGroup,
    capability: str,
    currency: str,
    *,
    limit_minor: int | None,
    day_limit_minor: int | None,
) -> Authority:
    """Say how much a group may approve, in minor units; None is without limit."""
    row, _ = Authority.objects.update_or_create(
        group=limit_group,
        capability=capability,
        currency=currency,
        defaults={"limit_minor": limit_minor, "day_limit_minor": day_limit_minor},
    )
    return row


@transaction.atomic
def write_policy(
    workspace: Workspace, name: str, document: PolicyDocument, *, author: Person
) -> PolicyVersion:
    """Write the next version of a policy. It is in force once it is activated."""
    # Two authors at once would otherwise give two versions one number.
    Workspace.objects.select_for_update(no_key=True).get(pk=workspace.pk)
    versions = PolicyVersion.objects.filter(workspace=workspace, name=name)
    last = versions.aggregate(last=Max("version"))["last"] or 0
    return PolicyVersion.objects.create(
        workspace=workspace,
        name=name,
        version=last + 1,
        document=document.model_dump(mode="json"),
        author=author,
        written_at=database_now(),
    )


def activate_policy(version: PolicyVersion) -> None:
    _stamp(version, "activated_at")


def withdraw_policy(version: PolicyVersion) -> None:
    _stamp(version, "withdrawn_at")


def add_starter_rules(workspace: Workspace, *, author: Person) -> PolicyVersion:
    """Write and activate the starting policy, and set the starting limits."""
    for name, limits in LIMITS.items():
        for currency, minor in limits.items():
            set_authority(
                group(workspace, name),
                REFUNDS.capability,
                currency,
                limit_minor=minor,
                day_limit_minor=minor * DAY_FACTOR,
            )
    version = write_policy(workspace, "refunds", REFUNDS, author=author)
    activate_policy(version)
    return version


def _stamp(version: PolicyVersion, column: str) -> None:
    """Say once when something happened to a version; what is written stays."""
    now = database_now()
    PolicyVersion.objects.filter(pk=version.pk, **{column: None}).update(**{column: now})
    version.refresh_from_db(fields=[column])
