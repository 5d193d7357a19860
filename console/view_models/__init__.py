"""What pages and programs are shown: derived from facts, frozen, never stored."""

from __future__ import annotations
