"""Make the application's role, apart from the owner of the tables, with the rights it needs."""

from __future__ import annotations

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from console.database.roles import RolesError, are_separate, grant_application


class Command(BaseCommand):
    help = f"{__doc__} DATABASE_URL names the one, OWNER_DATABASE_URL the other."

    def handle(self, *args: object, **options: object) -> None:
        if not are_separate(settings.SERVERS):
            raise CommandError("OWNER_DATABASE_URL has to name the owner of the tables.")
        try:
            changes = grant_application()
        except RolesError as error:
            raise CommandError(str(error)) from None
        for change in changes or ["Everything was as it should be."]:
            self.stdout.write(change)
