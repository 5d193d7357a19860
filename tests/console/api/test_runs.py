from __future__ import annotations

from runtime import relay
from tests.console.api.requests import call_body, propose, recorded, refund, run_body, start


def test_a_run_is_answered_as_it_was_started(here):
    initiator = here.person("reviewer").username

    answer = here.agent.post("/runs", run_body(initiator=initiator))

    run = answer.json()
    assert answer.status_code == 201
    assert run == {
        "reading": "run_state",
        "schema_version": 1,
        "id": run["id"],
        "workspace": "here",
        "agent": "refund-agent",
        "goal": "Answer the ticket about order-001.",
        "success_criterion": "The customer has an answer.",
        "subject": {"order_id": "order-001"},
        "initiator": "here-reviewer",
        "status": "running",
        "blocked": None,
        "position": 1,
        "pending_approvals": [],
        "progress": None,
        "view": {"is_busy": True, "can_stop": True},
        "started_at": run["started_at"],
        "ended_at": None,
    }
    assert here.reviewer.get(f"/runs/{run['id']}").json() == run


def test_support_reads_a_run_with_its_personal_texts_masked(here):
    run = start(here.agent, subject={"order_id": "order-001", "customer": "Ada"})

    seen = here.support.get(f"/runs/{run}")

    assert seen.json()["goal"] == "•••"
    assert seen.json()["subject"] == {"order_id": "order-001"}
    assert "Ada" not in seen.content.decode()


def test_the_same_request_key_and_body_answer_the_same_run_once_more(here):
    first = here.agent.post("/runs", run_body(), Idempotency_Key="key-1")
    before = recorded()

    again = here.agent.post("/runs", run_body(), Idempotency_Key="key-1")

    assert (first.status_code, again.status_code) == (201, 200)
    assert again.json() == first.json()
    assert recorded() == before


def test_the_same_request_key_with_another_body_is_refused(here):
    here.agent.post("/runs", run_body(), Idempotency_Key="key-1")
    before = recorded()

    answer = here.agent.post("/runs", run_body(goal="Another."), Idempotency_Key="key-1")

    assert (answer.status_code, answer.json()["code"]) == (422, "idempotency_mismatch")
    assert recorded() == before


def test_a_request_key_belongs_to_its_workspace_and_its_actor(here, elsewhere):
    answers = [
        agent.post("/runs", run_body(), Idempotency_Key="key-1")
        for agent in (here.agent, here.agent2, elsewhere.agent)
    ]

    assert [answer.status_code for answer in answers] == [201, 201, 201]


def test_a_bad_request_key_is_refused_and_writes_nothing(here):
    before = recorded()

    for key in ("", "k" * 256, "tab\there", "clé"):
        answer = here.agent.post("/runs", run_body(), Idempotency_Key=key)

        assert [error["field"] for error in answer.json()["errors"]] == ["Idempotency-Key"]
    assert recorded() == before


def test_runs_are_found_by_status_agent_order_and_id(here):
    run = start(here.agent, agent="one", subject={"order_id": "order-001"})
    other = start(here.agent, agent="two", subject={"order_id": "order-002"})
    here.agent.post(f"/runs/{other}/commands", {"command_id": "f", "kind": "finish"})

    def found(**query):
        return [item["id"] for item in here.reviewer.get("/runs", query).json()["items"]]

    assert found() == [other, run]
    assert found(agent="one") == [run]
    assert found(status="completed") == [other]
    assert found(status="running") == [run]
    assert found(q="order-002") == [other]
    assert found(q=run) == [run]
    assert found(q="order") == []


def test_runs_are_found_by_what_their_calls_are_called_outside(here, elsewhere):
    run, other = start(here.agent), start(here.agent)
    of_ada = start(here.agent, subject={"order_id": "order-003", "customer": "cus_ada"})
    propose(here.agent, run, intent="the cup", arguments=refund(payment="pi_cup"))
    propose(here.agent, other, intent="the plate", arguments=refund(payment="pi_plate"))
    while relay.turn():
        pass

    def found(program, q):
        return [item["id"] for item in program.get("/runs", {"q": q}).json()["items"]]

    assert found(here.support, "pi_cup") == found(here.reviewer, "the cup") == [run]
    assert found(here.agent, "pi_plate") == [other]
    assert found(here.support, "cus_ada") == [of_ada]
    assert found(here.agent2, "pi_plate") == found(elsewhere.admin, "pi_plate") == []


def test_pages_stay_put_while_runs_are_started(here):
    runs = [start(here.agent) for _ in range(5)][::-1]
    first = here.reviewer.get("/runs", {"limit": "2"}).json()
    newest = start(here.agent)

    second = here.reviewer.get("/runs", {"limit": "2", "cursor": first["next"]}).json()
    third = here.reviewer.get("/runs", {"limit": "2", "cursor": second["next"]}).json()

    pages = [[item["id"] for item in page["items"]] for page in (first, second, third)]
    assert pages == [runs[:2], runs[2:4], runs[4:]]
    assert third["next"] is None
    assert here.reviewer.get("/runs").json()["items"][0]["id"] == newest


def test_events_come_in_order_by_position_and_by_type(here):
    run = start(here.agent)
    here.agent.post(f"/runs/{run}/tool-calls", call_body())

    def events(**query):
        return here.reviewer.get(f"/runs/{run}/events", query).json()

    everything = events()
    positions = [event["position"] for event in everything["events"]]
    assert positions == list(range(1, everything["head"] + 1))
    assert [event["position"] for event in events(after="2")["events"]] == positions[2:]
    assert [event["position"] for event in events(limit="1")["events"]] == [1]
    assert events(after="2", limit="1")["head"] == everything["head"]
    assert [event["event_type"] for event in events(type="run.started")["events"]] == [
        "run.started"
    ]
    chosen = events(type=["tool.call.proposed", "run.started"])["events"]
    assert [event["event_type"] for event in chosen] == ["run.started", "tool.call.proposed"]
    assert events(type="no.such")["events"] == []


def test_each_event_is_chained_to_the_one_before(here):
    run = start(here.agent)
    here.agent.post(f"/runs/{run}/tool-calls", call_body())

    events = here.support.get(f"/runs/{run}/events").json()["events"]

    assert [event["prev_hash"] for event in events[1:]] == [event["hash"] for event in events[:-1]]
    assert events[0]["actor"] == f"person:{here.person('agent').pk}"


def test_an_order_id_of_ten_thousand_characters_is_kept_and_found(here):
    order = "o" * 10_000
    run = start(here.agent, subject={"order_id": order})

    assert here.agent.get(f"/runs/{run}").json()["subject"] == {"order_id": order}
    assert here.agent.get("/runs", {"q": order}).json()["items"][0]["id"] == run
