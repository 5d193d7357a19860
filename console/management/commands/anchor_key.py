"""Print the public key that the relays of this installation sign their anchors with."""

from __future__ import annotations

from django.core.management.base import BaseCommand

from console.anchors import own_key
from runtime.anchors.lines import public_key


class Command(BaseCommand):
    help = __doc__ or ""

    def handle(self, *args: object, **options: object) -> None:
        self.stdout.write(public_key(own_key()))
