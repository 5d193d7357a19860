"""Who a signed-in person or a token is in a workspace: a membership decides, nothing else."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from approvals.access import membership_of
from approvals.states import Role
from console.view_models.bar import Viewer
from runtime.commands import Actor, Surface
from runtime.models import Person, Workspace


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """Somebody who acts in a workspace, as the role they have now."""

    actor: Actor
    role: Role

    @property
    def is_masked(self) -> bool:
        """Support reads what happened, not what people wrote."""
        return self.role is Role.SUPPORT

    @property
    def viewer(self) -> Viewer:
        return Viewer(username=self.actor.person.username, role=self.role)


def member(
    person: Person, workspace: str, *, surface: Surface = "browser", token: UUID | None = None
) -> Member | None:
    """Answer who this person is in the workspace with this slug, if anybody."""
    found = Workspace.objects.filter(slug=workspace).first()
    membership = membership_of(person, found) if found else None
    if found is None or membership is None:
        return None
    actor = Actor(workspace=found, person=person, surface=surface, token=token)
    return Member(actor=actor, role=Role(membership.role))


def home_of(person: Person) -> str | None:
    """Answer the slug of the workspace a person's pages begin in."""
    homes = person.memberships.filter(active=True).exclude(role=Role.AGENT)
    return homes.order_by("workspace__slug").values_list("workspace__slug", flat=True).first()
