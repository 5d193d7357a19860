"""A workspace's facts in one row of numbers: what a program reads to miss nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Final
from uuid import UUID

from pydantic import Field
from rest_framework.request import Request
from rest_framework.response import Response

from console.api.base import ApiView, answer
from console.api.events import EventQuery
from console.api.permissions import Act, require
from console.api.schema import describe
from console.reads import feed_views
from console.view_models.events import FeedEventView
from runtime.models import Outbox, Workspace, WorkspaceFeed

# How many numbers one answer looks at: of a rare type, none of these may be one.
LOOKED_AT: Final = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedPage:
    """`next` is the `after` of the next page, `head` the last number there is.

    Numbers are this feed's own: its id tells it from that of any other workspace.
    """

    feed: UUID
    events: tuple[FeedEventView, ...]
    next: int
    head: int


class FeedQuery(EventQuery):
    """Answer when something is there to be read, or in `wait` seconds as it stands."""

    wait: Annotated[int, Field(ge=0, le=60)] = 0


class FeedCollection(ApiView):
    @describe(
        "list_feed",
        "Facts of the workspace, by number",
        query=FeedQuery,
        answers={200: FeedPage},
        problems={403: "not_authorized"},
    )
    def get(self, _request: Request) -> Response:
        require(self.caller, Act.READ_FEED)
        return answer(_page(self.caller.actor.workspace, self.query(FeedQuery)))


def _page(workspace: Workspace, query: FeedQuery) -> FeedPage:
    """What is numbered is complete: a number up to the head is never filled in later."""
    feed = WorkspaceFeed.objects.filter(workspace=workspace).first()
    head = feed.pos if feed else 0
    end = max(min(head, query.after + LOOKED_AT), query.after)
    numbered = Outbox.objects.filter(workspace=workspace, pos__gt=query.after, pos__lte=end)
    if query.type:
        numbered = numbered.filter(event__event_type__in=query.type)
    rows = list(numbered.select_related("event").order_by("pos")[: query.limit])
    last = rows[-1].pos if len(rows) == query.limit else None
    return FeedPage(
        feed=workspace.pk,
        events=tuple(feed_views(rows, workspace=workspace.slug)),
        next=end if last is None else last,
        head=head,
    )
