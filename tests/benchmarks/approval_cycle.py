"""Propose, decide, spend, dispatch to a provider that does nothing, settle: as often as possible.

`python -m tests.benchmarks.approval_cycle` lets 1, 8 and 32 clients do that in this process,
beside raw psycopg and LangGraph on the same durable PostgreSQL, a short round of each in turn.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from statistics import median
from typing import Final

from tests.benchmarks.contestants import ours, raw
from tests.benchmarks.database import durable_database
from tests.benchmarks.measuring import Client, Measured, measure, measure_steps

OURS, RAW, LANGGRAPH = "ours", "raw psycopg", "LangGraph"
CLIENTS: Final = (1, 8, 32)
Contestants = Mapping[str, Callable[[], Client]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=4.0)
    parser.add_argument("--clients", type=int, nargs="+", default=CLIENTS)
    options = parser.parse_args()
    with durable_database() as conninfo:
        contestants = prepare(conninfo)
        print(f"{os.cpu_count()} cores, Python {sys.version.split()[0]}; one process, fsync on")
        print("clients                cycles/s  p50 ms  p99 ms  statements  CPU ms  ours is")
        for clients in options.clients:
            rounds = [play(contestants, clients, options.seconds) for _ in range(options.rounds)]
            report(clients, rounds)
        print("\nwhere ours spends it, one client      ms  CPU ms  statements")
        for name, (took_ms, cpu_ms, statements) in steps(contestants[OURS]).items():
            print(f"{name:33} {took_ms:7.2f} {cpu_ms:7.2f} {statements:11.1f}")


def prepare(conninfo: str) -> Contestants:
    world = ours.prepare()
    raw.prepare(conninfo)
    contestants: dict[str, Callable[[], Client]] = {
        OURS: partial(ours.Ours, world),
        RAW: partial(raw.Raw, conninfo),
    }
    try:
        langgraph = import_module("tests.benchmarks.contestants.langgraph")
    except ImportError as error:
        print(f"WITHOUT LANGGRAPH: {error}. It comes with the extra `bench`.", file=sys.stderr)
    else:
        langgraph.prepare(conninfo)
        contestants[LANGGRAPH] = partial(langgraph.LangGraph, conninfo)
    return contestants


def play(contestants: Contestants, clients: int, seconds: float) -> dict[str, Measured]:
    return {
        name: measure(make, clients=clients, seconds=seconds) for name, make in contestants.items()
    }


def report(clients: int, rounds: list[dict[str, Measured]]) -> None:
    """The median of the rounds; ratios are of what was measured in one and the same round."""
    for name in rounds[0]:
        found = [each[name] for each in rounds]
        ratio = median(each[OURS].per_second / each[name].per_second for each in rounds)
        print(
            f"{clients:>3} {name:18}"
            f" {median(each.per_second for each in found):9.1f}"
            f" {median(each.p50_ms for each in found):7.1f}"
            f" {median(each.p99_ms for each in found):7.1f}"
            f" {median(each.statements for each in found):11.1f}"
            f" {median(each.cpu_ms for each in found):7.2f}"
            f"  x {ratio:.2f}"
        )


def steps(make: Callable[[], Client]) -> dict[str, tuple[float, float, float]]:
    client = make()
    assert isinstance(client, ours.Ours)
    try:
        return measure_steps(client.steps(), rounds=40)
    finally:
        client.close()


if __name__ == "__main__":
    main()
