"""Whoever has a page open is shown no more of a person than whoever opens it now."""

from __future__ import annotations

from approvals.administration import ErasePerson
from approvals.handlers import erase_person
from console.live import hub as hubs
from console.live.notices import erased
from console.live.threads import in_thread
from tests.console.live.wire import watch
from tests.factories import make_approval, make_run, reject, status_of

WORD = "Zanzibar"


def rejected(world):
    subject = {"order_id": "o-1", "customer": "ada"}
    approval = make_approval(world, make_run(world, subject=subject, goal=f"Help {WORD}"))
    reject(world, "reviewer", approval)
    return approval


def erase(world, **whom):
    command = ErasePerson(command_id="erase", reason="asked", **whom)
    answer = erase_person(world.actor("admin"), command)
    assert status_of(answer) == (200, "ok")


async def test_an_open_page_loses_the_words_of_who_is_erased(world, signed_in, monkeypatch):
    monkeypatch.setattr(hubs, "LOOK_S", 3600)
    approval = await in_thread(rejected, world)
    browser = await in_thread(signed_in, "reviewer")
    wire = await watch(browser, f"/ws/demo/runs/{approval.run_id}/")
    # What the hub reads of its own accord when it begins is over.
    await wire.settle(quiet=4)
    shown = {target for target, frame in wire.frames.items() if WORD in frame["content"]}

    await in_thread(erase, world, customer="ada")
    await in_thread(erased, world.workspace.pk, None)
    while any(WORD in wire.frames[target]["content"] for target in shown):
        await wire.next()

    assert shown
    await wire.close()


async def test_an_erased_members_sockets_close(world, signed_in):
    approval = await in_thread(rejected, world)
    browser = await in_thread(signed_in, "support")
    wire = await watch(browser, f"/ws/demo/runs/{approval.run_id}/")
    await wire.settle()

    await in_thread(erase, world, user="support")
    await in_thread(erased, world.workspace.pk, world.people["support"].pk)

    message = await wire.next()
    while message.get("type") != "websocket.close":
        message = await wire.next()
    assert message["code"] in {4401, 4404}
