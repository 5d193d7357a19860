"""Where new ids come from: version 7 UUIDs, so that keys grow with time."""

from __future__ import annotations

from uuid import UUID

import uuid_utils.compat


def new_id() -> UUID:
    made: UUID = uuid_utils.compat.uuid7()
    return made
