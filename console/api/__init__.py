"""The contract for programs: bearer tokens in, JSON out, a problem for every refusal."""

from __future__ import annotations
