"""Django's migrate, which then gives the application's role its rights to what was made."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import CommandError
from django.core.management.commands.migrate import Command as Migrate

from console.database.roles import RolesError, are_separate, grant_application


class Command(Migrate):
    def handle(self, *args: Any, **options: Any) -> None:  # noqa: ANN401 - as Django has it
        super().handle(*args, **options)
        if not are_separate(settings.SERVERS) or options["plan"] or options["check_unapplied"]:
            return
        try:
            grant_application()
        except RolesError as error:
            raise CommandError(str(error)) from None
