"""Template tags of the console."""

from __future__ import annotations
