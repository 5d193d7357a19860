from __future__ import annotations

from pathlib import Path

from django.conf import settings

from console.reference import reference


def test_the_generated_pages_say_what_the_code_says():
    docs = Path(settings.BASE_DIR) / "docs"
    schemas = {f"schemas/{path.name}" for path in (docs / "schemas").iterdir()}

    pages = reference()

    assert {name: (docs / name).read_text() for name in pages} == pages
    assert schemas == {name for name in pages if name.startswith("schemas/")}
