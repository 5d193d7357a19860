"""Carry calls out: read, spend, send, record, look up, verify; one step at a time."""

from __future__ import annotations

from runtime.execution.advance import advance
from runtime.execution.reading import observe_call

__all__ = ["advance", "observe_call"]
