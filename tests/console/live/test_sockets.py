"""Who may open which socket, and how long it stays open."""

from __future__ import annotations

import pytest
from django.test import Client

from approvals.access import issue_token
from approvals.setup import add_member, create_workspace
from approvals.states import Role
from console.live import sockets
from console.live.threads import in_thread
from runtime.commands import Actor
from runtime.handlers import Started, StartRun, start_run
from tests.console.browser import Browser
from tests.console.live.wire import Wire, watch
from tests.factories import make_approval, make_run

INBOX = "/ws/demo/inbox/"


def run_socket(run_id) -> str:
    return f"/ws/demo/runs/{run_id}/"


async def close_code(wire: Wire):
    message = await wire.next()
    return message["code"]


async def with_token(secret: str, path: str, **headers: str) -> Wire:
    return await Wire(path, {"authorization": f"Bearer {secret}", **headers}).open()


async def test_nobody_is_accepted_and_then_told_so(world):
    wire = await watch(Browser(), INBOX)

    assert await close_code(wire) == 4401


@pytest.mark.parametrize(
    "origin",
    ["https://evil.example", "http://localhost:81", "https://localhost", "//localhost", "null", ""],
)
async def test_a_cookie_counts_from_our_own_pages_only(signed_in, origin):
    wire = await watch(await in_thread(signed_in, "reviewer"), INBOX, origin=origin)

    assert await close_code(wire) == 4401


@pytest.mark.parametrize(
    ("proxy", "accepts"), [(None, False), (("HTTP_X_FORWARDED_PROTO", "https"), True)]
)
async def test_the_scheme_is_taken_from_a_proxy_only_where_one_is_named(
    signed_in, settings, proxy, accepts
):
    settings.SECURE_PROXY_SSL_HEADER = proxy
    told = {"origin": "https://localhost", "x-forwarded-proto": "https"}
    wire = await watch(await in_thread(signed_in, "reviewer"), INBOX, **told)

    message = await wire.next()

    assert message.get("code") == (None if accepts else 4401)
    await wire.close()


@pytest.mark.parametrize("host", ["evil.example", "", "a b"])
async def test_a_cookie_counts_at_our_own_host_only(signed_in, host):
    browser = await in_thread(signed_in, "reviewer")
    wire = await watch(browser, INBOX, host=host, origin=f"http://{host}")

    assert await close_code(wire) == 4401


@pytest.mark.parametrize("key", ['"\\000aaaaaaaaaaaa"', "a" * 5000, "", "\u00ff" * 12])
async def test_a_cookie_that_is_no_key_is_nobody(world, key):
    wire = await watch(Browser(), INBOX, cookie=f"sessionid={key}")

    assert await close_code(wire) == 4401


@pytest.mark.parametrize("path", ["/ws/other/inbox/", "/ws/nowhere/inbox/"])
async def test_without_a_role_a_workspace_is_like_none(signed_in, path):
    await in_thread(_run_elsewhere)
    wire = await watch(await in_thread(signed_in, "reviewer"), path)

    assert await close_code(wire) == 4403


async def test_a_run_elsewhere_is_like_none(world, signed_in):
    run = await in_thread(_run_elsewhere)
    wire = await watch(await in_thread(signed_in, "reviewer"), run_socket(run.pk))

    assert await close_code(wire) == 4404


@pytest.mark.parametrize("path", ["/ws/", "/ws/demo/", "/ws/demo/runs/1/", "/elsewhere"])
async def test_any_other_address_is_accepted_and_closed(path):
    wire = await Wire(path, {}).open()

    assert await close_code(wire) == 4404


async def test_a_token_needs_no_origin_and_reads_its_own_runs(world):
    mine, others = await in_thread(_runs_of_two_agents, world)

    allowed = await with_token(world.secret, run_socket(mine.pk))
    refused = await with_token(world.secret, run_socket(others.pk))

    assert "#run-banner" in await allowed.settle()
    assert await close_code(refused) == 4404
    await allowed.close()


async def test_agents_have_no_inbox(world):
    assert await close_code(await with_token(world.secret, INBOX)) == 4403


@pytest.mark.parametrize("secret", ["", "wrong", "cst_wrong"])
async def test_beside_a_header_no_cookie_is_read(signed_in, secret):
    browser = await in_thread(signed_in, "reviewer")
    wire = await watch(browser, INBOX, authorization=f"Bearer {secret}")

    assert await close_code(wire) == 4401


async def test_signing_out_closes_what_that_session_opened(world, signed_in):
    browser, other = await in_thread(signed_in, "reviewer"), await in_thread(signed_in, "reviewer")
    wire, untouched = await watch(browser, INBOX), await watch(other, INBOX)
    await wire.settle()
    await untouched.settle()

    await in_thread(browser.open, "/w/demo/")
    await in_thread(browser.press, "Sign out")

    assert await close_code(wire) == 4401
    assert await untouched.socket.receive_nothing(0.5)
    await untouched.close()


async def test_whoever_an_admin_lets_in_no_longer_is_shut_out(world, signed_in):
    _, secret = await in_thread(_issue, world, world.people["admin"], "admin")
    wire = await watch(await in_thread(signed_in, "reviewer"), INBOX)
    await wire.settle()

    answer = await in_thread(
        lambda: Client().patch(
            "/api/v1/members/reviewer",
            {"active": False},
            content_type="application/json",
            headers={"authorization": f"Bearer {secret}"},
        )
    )

    assert answer.status_code == 200
    assert await close_code(wire) == 4403


async def test_revoking_a_token_closes_what_it_opened_and_nothing_else(world, signed_in):
    admin, reviewer = world.people["admin"], world.people["reviewer"]
    _, admins = await in_thread(_issue, world, admin, "admin")
    token, secret = await in_thread(_issue, world, reviewer, "read")
    _, other = await in_thread(_issue, world, reviewer, "read")
    wires = [
        await with_token(secret, INBOX),
        await with_token(other, INBOX),
        await watch(await in_thread(signed_in, "reviewer"), INBOX),
    ]
    for wire in wires:
        await wire.settle()

    answer = await in_thread(
        lambda: Client().delete(
            f"/api/v1/tokens/{token.pk}", headers={"authorization": f"Bearer {admins}"}
        )
    )

    assert answer.status_code == 204
    assert await close_code(wires[0]) == 4401
    for wire in wires[1:]:
        assert await wire.socket.receive_nothing(0.5)
        await wire.close()


async def test_identity_is_asked_again_without_any_hint(world, signed_in, monkeypatch):
    monkeypatch.setattr(sockets, "IDENTITY_GOOD_FOR_S", 0.2)
    wire = await watch(await in_thread(signed_in, "reviewer"), INBOX)
    await wire.settle()

    await in_thread(_deactivate, world, "reviewer")

    assert await close_code(wire) == 4403


async def test_heartbeats_say_how_far_each_run_has_come(world, signed_in, monkeypatch):
    monkeypatch.setattr(sockets, "HEARTBEAT_S", 0.5)
    approval = await in_thread(make_approval, world)
    wire = await watch(await in_thread(signed_in, "reviewer"), run_socket(approval.run_id))

    while (await wire.next())["kind"] != "heartbeat":
        pass

    newest = max(frame["position"] for frame in wire.frames.values())
    assert wire.messages[-1]["positions"] == {str(approval.run_id): newest}
    await wire.close()


def _run_elsewhere():
    """A run of another workspace, whose people have other names."""
    workspace = create_workspace("other", "Other")
    owner = add_member(workspace, "owner", Role.ADMIN).person
    agent = add_member(workspace, "other-agent", Role.AGENT, owner=owner).person
    return _run_of(workspace, agent)


def _runs_of_two_agents(world):
    owner = world.people["admin"]
    other = add_member(world.workspace, "agent2", Role.AGENT, owner=owner).person
    return make_run(world), _run_of(world.workspace, other)


def _run_of(workspace, agent):
    actor = Actor(workspace=workspace, person=agent, surface="api")
    job = StartRun(agent="other", goal="Else", harness="external", subject={"order_id": "o"})
    started = start_run(actor, job)
    assert isinstance(started, Started)
    return started.run


def _deactivate(world, name) -> None:
    world.people[name].memberships.update(active=False)


def _issue(world, person, scope):
    creator = world.people["admin"]
    return issue_token(world.workspace, person, creator=creator, scopes=[scope])
