"""Who is measured beside whom: one cycle, built in several ways, each a module of its own."""

from __future__ import annotations

from tests.benchmarks import database

# Importing it sets Django up, which our own contestant needs before its imports.
__all__ = ["database"]
