"""First paint, push and reload show the same, in every state and to every kind of reader."""

from __future__ import annotations

import pytest

from console.live.threads import in_thread
from tests.console.live import states
from tests.console.live.wire import opened, watch
from tests.factories import make_approval

READERS = ["reviewer", "support", "admin"]


async def pushed(browser, path: str) -> dict[str, str]:
    wire = await watch(browser, path)
    frames = await wire.settle()
    await wire.close()
    return {target: frame["content"] for target, frame in frames.items()}


@pytest.mark.parametrize("name", READERS)
async def test_a_runs_page_holds_what_is_pushed_in_every_state_of_a_call(world, signed_in, name):
    browser = await in_thread(signed_in, name)
    calls = await in_thread(states.calls, world)
    different = []

    for status, call in calls.items():
        page = await opened(browser, f"/w/demo/runs/{call.run_id}/")
        frames = await pushed(browser, f"/ws/demo/runs/{call.run_id}/")
        assert f'data-status="{status}"' in frames[f"#call-{call.pk}"]
        different += [
            (status, target)
            for target, content in frames.items()
            if content not in page and not target.startswith("#approval-")
        ]

    assert different == []


@pytest.mark.parametrize("name", READERS)
async def test_an_approvals_page_holds_what_is_pushed_in_every_state(world, signed_in, name):
    browser = await in_thread(signed_in, name)
    approvals = await in_thread(states.approvals, world)
    different = []

    for status, approval in approvals.items():
        page = await opened(browser, f"/w/demo/approvals/{approval.pk}/")
        frames = await pushed(browser, f"/ws/demo/runs/{approval.run_id}/")
        shown = [f"#approval-{approval.pk}", f"#bar-{approval.pk}", "#waiting", "#health"]
        assert f'data-status="{status}"' in frames[shown[0]]
        different += [(status, target) for target in shown if frames[target] not in page]

    assert different == []


@pytest.mark.parametrize("name", READERS)
async def test_the_inbox_holds_what_is_pushed(world, signed_in, name):
    browser = await in_thread(signed_in, name)
    await in_thread(lambda: [make_approval(world) for _ in range(3)])

    page = await opened(browser, "/w/demo/")
    frames = await pushed(browser, "/ws/demo/inbox/")

    assert [target for target, content in frames.items() if content not in page] == []
    assert len(frames) == 7
