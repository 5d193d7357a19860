"""Carry calls out: read, spend, send, record, look up, verify; one step at a time."""

from __future__ import annotations

from runtime.execution.advance import advance
from runtime.execution.looks import observe_call, take_notice

__all__ = ["advance", "observe_call", "take_notice"]
