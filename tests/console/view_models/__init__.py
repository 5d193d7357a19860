"""Tests of what is shown."""

from __future__ import annotations
