"""LangGraph with its PostgreSQL checkpointer: interrupt, resume, an effect that does nothing."""

from __future__ import annotations

from typing import Any, TypedDict
from uuid import uuid4

import psycopg
from langgraph.checkpoint.postgres import PostgresSaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, interrupt
from psycopg.rows import dict_row


class State(TypedDict, total=False):
    payment: str
    amount: int
    answer: str
    result_ref: str


def ask(state: State) -> State:
    return {"answer": interrupt({"payment": state["payment"], "amount": state["amount"]})}


def effect(state: State) -> State:
    assert state["answer"] == "approve"
    return {"result_ref": f"re_{state['payment']}"}


def prepare(conninfo: str) -> None:
    with psycopg.connect(conninfo, autocommit=True) as connection:
        connection.execute("CREATE SCHEMA langgraph")
    with _connect(conninfo) as connection:
        PostgresSaver(connection).setup()


def _connect(conninfo: str) -> psycopg.Connection[Any]:
    """As PostgresSaver.from_conn_string does it."""
    return psycopg.connect(
        conninfo,
        autocommit=True,
        prepare_threshold=0,
        row_factory=dict_row,
        options="-c search_path=langgraph",
    )


class LangGraph:
    """One client: each cycle is a thread of its own, durable before each step goes on."""

    def __init__(self, conninfo: str) -> None:
        self.connection = _connect(conninfo)
        builder = StateGraph(State)
        builder.add_node("ask", ask)
        builder.add_node("effect", effect)
        builder.add_edge(START, "ask")
        builder.add_edge("ask", "effect")
        builder.add_edge("effect", END)
        self.graph = builder.compile(checkpointer=PostgresSaver(self.connection))

    def cycle(self) -> None:
        name = uuid4().hex
        config: Any = {"configurable": {"thread_id": name}}
        asked = self.graph.invoke(
            {"payment": f"pi_{name}", "amount": 500}, config, durability="sync"
        )
        assert "__interrupt__" in asked
        done = self.graph.invoke(Command(resume="approve"), config, durability="sync")
        assert done["result_ref"] == f"re_pi_{name}"

    def close(self) -> None:
        self.connection.close()
