"""Signed lines outside the database that say how far every run had come, and what it was then."""

from __future__ import annotations
