"""What can be done after an unknown result, by what a provider offers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """`has_key`: it executes one key at most once; `has_lookup`: it lists its refunds."""

    has_key: bool
    has_lookup: bool


PROFILES: Final = {
    "key_and_lookup": Profile(has_key=True, has_lookup=True),
    "key_only": Profile(has_key=True, has_lookup=False),
    "lookup_only": Profile(has_key=False, has_lookup=True),
    "neither": Profile(has_key=False, has_lookup=False),
}
