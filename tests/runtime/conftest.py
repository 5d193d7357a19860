from __future__ import annotations

from tests.folded import _log_tells_the_rows  # noqa: F401 - after each test
