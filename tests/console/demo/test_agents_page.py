from __future__ import annotations

from pathlib import Path

import console.demo.agent
from tests.stack import ROOT


def test_the_page_for_agents_shows_the_very_agent_of_the_demo():
    page = (ROOT / "docs" / "agents.md").read_text()
    code = Path(console.demo.agent.__file__).read_text()

    assert f"```python\n{code}```\n" in page
