"""What is pushed when, how often, and what happens when a hint is lost."""

from __future__ import annotations

import asyncio
import json

import pytest
from channels.layers import channel_layers
from channels_redis.pubsub import RedisPubSubChannelLayer

from console.live import hub as hubs
from console.live import topics
from console.live.hub import hub
from console.live.readings import read_run
from console.live.states import inbox_state
from console.live.threads import in_thread
from console.members import member
from runtime import doorbell
from tests.console.live.wire import opened, watch
from tests.factories import (
    approve,
    make_approval,
    make_call,
    make_run,
    mixed_questions,
    observe,
    reject,
)


def run_socket(run_id, query: str = "") -> str:
    return f"/ws/demo/runs/{run_id}/{query}"


def stale(wire, page: str) -> list[str]:
    """What the socket was sent last and a fresh page shows otherwise, or not at all."""
    elsewhere = ("#approval-", "#timeline")
    return [
        target
        for target, frame in wire.frames.items()
        if frame["content"] not in page and not target.startswith(elsewhere)
    ]


@pytest.fixture
async def approval(world):
    return await in_thread(make_approval, world)


@pytest.fixture
async def browser(signed_in):
    return await in_thread(signed_in, "reviewer")


async def test_a_decision_reaches_every_open_page_and_settles_its_bar(
    world, signed_in, browser, approval
):
    pages = [
        await watch(browser, run_socket(approval.run_id)),
        await watch(await in_thread(signed_in, "support"), run_socket(approval.run_id)),
        await watch(browser, "/ws/demo/inbox/"),
    ]
    for page in pages:
        await page.settle()

    await in_thread(reject, world, "reviewer2", approval)
    for page in pages:
        page.frames.clear()
        await page.settle()

    bar = f"#bar-{approval.pk}"
    assert ['data-open="no"' in page.frames[bar]["content"] for page in pages[:2]] == [True] * 2
    assert 'data-status="rejected"' in pages[2].frames[f"#approval-{approval.pk}"]["content"]
    assert 'data-waiting="0"' in pages[2].frames["#waiting"]["content"]
    for page in pages:
        await page.close()


async def test_a_dispute_takes_approving_away_from_an_open_page_and_leaves_rejecting(
    browser, approval
):
    wire = await watch(browser, run_socket(approval.run_id))
    await wire.settle()
    before = wire.frames[f"#bar-{approval.pk}"]["content"]

    await in_thread(lambda: observe(approval.tool_call, disputed=True))
    await wire.settle()

    bars = [before, wire.frames[f"#bar-{approval.pk}"]["content"]]
    assert ["Approve…" in bar for bar in bars] == [True, False]
    assert ["Reject…" in bar for bar in bars] == [True, True]
    await wire.close()


async def test_only_what_changed_is_sent_again(world, browser, approval):
    other = await in_thread(lambda: make_approval(world, approval.run))
    wire = await watch(browser, run_socket(approval.run_id))
    await wire.settle()
    wire.frames.clear()

    await in_thread(reject, world, "reviewer", approval)
    frames = await wire.settle()

    assert {f"#call-{approval.tool_call_id}", f"#bar-{approval.pk}", "#run-banner"} <= set(frames)
    assert set(frames).isdisjoint({f"#call-{other.tool_call_id}", f"#bar-{other.pk}", "#timeline"})
    await wire.close()


async def test_many_watchers_of_a_burst_share_a_few_readings_and_end_up_right(
    world, browser, approval, monkeypatch
):
    heads = []

    def counted(run, **how):
        heads.append(run.head)
        return read_run(run, **how)

    monkeypatch.setattr(topics, "read_run", counted)
    wires = [await watch(browser, run_socket(approval.run_id)) for _ in range(5)]
    for wire in wires:
        await wire.settle()
    heads.clear()

    await in_thread(lambda: [make_call(world, approval.run) for _ in range(10)])
    page = await opened(browser, f"/w/demo/runs/{approval.run_id}/")
    for wire in wires:
        while stale(wire, page):
            await wire.next()

    assert len(heads) < 20
    for wire in wires:
        await wire.close()


async def test_after_a_lost_connection_the_page_is_like_a_fresh_one(world, browser, approval):
    first = await watch(browser, run_socket(approval.run_id))
    await first.settle()
    await first.close()

    await in_thread(approve, world, "reviewer", approval)
    await in_thread(lambda: [make_call(world, approval.run) for _ in range(5)])
    again = await watch(browser, run_socket(approval.run_id))
    frames = await again.settle()

    page = await opened(browser, f"/w/demo/runs/{approval.run_id}/")
    assert stale(again, page) == []
    assert f'id="event-{max(frame["position"] for frame in frames.values())}"' in page
    await again.close()


async def test_a_lost_hint_is_found_by_looking(world, browser, approval, monkeypatch):
    monkeypatch.setattr(hubs, "LOOK_S", 0.3)
    wire = await watch(browser, run_socket(approval.run_id))
    await wire.settle()
    monkeypatch.setattr(doorbell, "tell", lambda _message: None)

    await in_thread(reject, world, "reviewer", approval)

    while 'data-status="rejected"' not in wire.frames[f"#bar-{approval.pk}"]["content"]:
        await wire.next()
    await wire.close()


@pytest.fixture
def nobody_to_hear():
    """A channel layer whose server is gone."""
    heard = channel_layers.set("default", RedisPubSubChannelLayer(hosts=["unix:///nowhere.sock"]))
    yield
    channel_layers.set("default", heard)


async def test_pages_stay_current_while_the_channel_layer_is_gone(
    world, browser, approval, monkeypatch, nobody_to_hear
):
    monkeypatch.setattr(hubs, "LOOK_S", 0.3)
    wire = await watch(browser, run_socket(approval.run_id))
    await wire.settle()

    await in_thread(reject, world, "reviewer", approval)

    while 'data-status="rejected"' not in wire.frames[f"#bar-{approval.pk}"]["content"]:
        await wire.next()
    await wire.close()


async def test_nothing_listens_once_everybody_has_left(browser, approval):
    wire = await watch(browser, run_socket(approval.run_id))
    await wire.settle()

    await wire.close()
    await asyncio.sleep(0)

    assert (hub().rooms, hub().tasks) == ({}, {})


async def test_programs_get_the_same_state_as_data(world, browser, approval):
    wire = await watch(browser, run_socket(approval.run_id, "?as=json"))
    first = await wire.next()
    await in_thread(reject, world, "reviewer", approval)
    second = await wire.next()

    assert (first["kind"], first["run"]["id"]) == ("state", str(approval.run_id))
    assert [each["status"] for each in first["approvals"]] == ["pending"]
    assert [each["view"]["can_decide"] for each in first["approvals"]] == [True]
    assert [each["execution_status"] for each in second["tool_calls"]] == ["refused"]
    assert second["position"] > first["position"]
    await wire.close()


async def test_support_gets_masked_data(world, signed_in):
    run = await in_thread(lambda: make_run(world, goal="Refund Jane Doe"))
    wire = await watch(await in_thread(signed_in, "support"), run_socket(run.pk, "?as=json"))

    state = await wire.next()

    assert "Jane" not in json.dumps(state)
    await wire.close()


async def test_the_inbox_is_data_too(browser, approval):
    wire = await watch(browser, "/ws/demo/inbox/?as=json")

    state = await wire.next()

    assert [each["id"] for each in state["approvals"]] == [str(approval.pk)]
    assert state["counts"] == {"pending": 1}
    await wire.close()


def test_the_inbox_as_data_costs_for_sixty_the_queries_of_two(world, django_assert_max_num_queries):
    reviewer = member(world.people["reviewer"], "demo")
    assert reviewer is not None
    mixed_questions(world, 2)
    with django_assert_max_num_queries(30) as counted:
        inbox_state(world.workspace, reviewer)
    mixed_questions(world, 58)

    with django_assert_max_num_queries(len(counted)):
        state = json.loads(inbox_state(world.workspace, reviewer).content)

    assert len(state["approvals"]) == 60
    assert {each["view"]["can_decide"] for each in state["approvals"]} == {True, False}
