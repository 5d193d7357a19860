"""Set up a workspace: its members and how much each group may approve.

Everything here leaves a record of who did it; where `by` is None, that is the operator.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from zoneinfo import available_timezones

from django.core.exceptions import ValidationError
from django.db import transaction

from approvals.changes import Terms, record_change
from approvals.errors import NotPossibleError
from approvals.models import Authority, LimitGroup, Membership, PolicyVersion
from approvals.rules import activate_policy, write_policy
from approvals.starter import DAY_FACTOR, LIMITS, POLICY, REFUNDS
from approvals.states import ChangeKind, Role
from runtime.commands import Actor
from runtime.models import Person, Workspace


@transaction.atomic
def create_workspace(slug: str, name: str, *, time_zone: str = "UTC") -> Workspace:
    """Make an empty workspace. Raises NotPossibleError for a taken or unusable name."""
    if Workspace.objects.filter(slug=slug).exists():
        raise NotPossibleError(f"There is a workspace {slug} already.")
    if time_zone not in _time_zones():
        raise NotPossibleError(f"There is no time zone {time_zone}.")
    workspace = Workspace(slug=slug, name=name, time_zone=time_zone)
    _check(workspace)
    workspace.save()
    terms = {"slug": slug, "name": name, "time_zone": time_zone}
    record_change(workspace, ChangeKind.WORKSPACE_CREATED, slug, by=None, after=terms)
    return workspace


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
    person = Person.objects.filter(username=username).first() or _new_account(username)
    if Membership.objects.filter(workspace=workspace, person=person).exists():
        raise NotPossibleError(f"{username} is a member of {workspace} already.")
    membership = Membership.objects.create(
        workspace=workspace, person=person, role=role, owner=owner
    )
    membership.groups.set(groups_named(workspace, groups))
    terms = terms_of(membership)
    record_change(workspace, ChangeKind.MEMBER_ADDED, str(person.pk), by=None, after=terms)
    return membership


def terms_of(membership: Membership) -> Terms:
    """A membership as the record of changes holds it: with ids of people, never names."""
    return {
        "role": str(membership.role),
        "owner": str(membership.owner_id) if membership.owner_id else None,
        "groups": sorted(membership.groups.values_list("name", flat=True)),
        "active": membership.active,
    }


def groups_named(workspace: Workspace, names: Iterable[str]) -> list[LimitGroup]:
    """Find limit groups. Raises NotPossibleError for one that no limit has introduced."""
    wanted = set(names)
    found = list(LimitGroup.objects.filter(workspace=workspace, name__in=wanted))
    if unknown := wanted - {group.name for group in found}:
        detail = f"{workspace} has no group {', '.join(sorted(unknown))}."
        raise NotPossibleError(detail, field="groups")
    return found


@transaction.atomic
def set_authority(  # noqa: PLR0913 - a row of limits, and who sets it
    workspace: Workspace,
    group: str,
    capability: str,
    currency: str,
    *,
    limit_minor: int | None,
    day_limit_minor: int | None,
    by: Actor | None = None,
) -> Authority:
    """Say how much a group may approve, in minor units; None is without limit.

    A group is introduced by its first limit.
    """
    limit_group, _ = LimitGroup.objects.get_or_create(workspace=workspace, name=group)
    key: Terms = {"group": limit_group, "capability": capability, "currency": currency}
    limits = {"limit_minor": limit_minor, "day_limit_minor": day_limit_minor}
    before = Authority.objects.filter(**key).values(*limits).first()
    row, _ = Authority.objects.update_or_create(**key, defaults=limits)
    if before != limits:
        subject = f"{group} {capability} {currency}"
        record_change(
            workspace, ChangeKind.AUTHORITY_SET, subject, by=by, before=before, after=limits
        )
    return row


def set_starting_limits(workspace: Workspace) -> None:
    for group, limits in LIMITS.items():
        for currency, minor in limits.items():
            set_authority(
                workspace,
                group,
                REFUNDS.capability,
                currency,
                limit_minor=minor,
                day_limit_minor=minor * DAY_FACTOR,
            )


def add_starter_rules(workspace: Workspace, *, author: Person) -> PolicyVersion:
    """Set the starting limits, and write and activate the starting policy."""
    set_starting_limits(workspace)
    version = write_policy(workspace, POLICY, REFUNDS, author=author)
    activate_policy(version)
    return version


@cache
def _time_zones() -> set[str]:
    """The names there are; finding them reads hundreds of files."""
    return available_timezones()


def _new_account(username: str) -> Person:
    person = Person(username=username)
    person.set_unusable_password()
    _check(person)
    person.save()
    return person


def _check(row: Workspace | Person) -> None:
    try:
        row.full_clean()
    except ValidationError as error:
        field, (detail, *_) = next(iter(error.message_dict.items()))
        raise NotPossibleError(f"{field}: {detail}", field=field) from None
