"""Write the generated pages of docs/ anew."""

from __future__ import annotations

from pathlib import Path

from django.conf import settings
from django.core.management.base import BaseCommand

from console.reference import reference


class Command(BaseCommand):
    help = "Write docs/states.md, docs/events.md and docs/schemas/ from the code."
    requires_system_checks = ()

    def handle(self, *args: object, **options: object) -> None:
        docs: Path = settings.BASE_DIR / "docs"
        pages = reference()
        for stale in (docs / "schemas").glob("*.json"):
            stale.unlink()
        for name, text in pages.items():
            (docs / name).parent.mkdir(parents=True, exist_ok=True)
            (docs / name).write_text(text)
        self.stdout.write(f"{len(pages)} files written")
