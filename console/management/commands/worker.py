"""Carry out and look up calls: a Celery worker with threads, on all queues or on some."""

from __future__ import annotations

from django.core.management.base import BaseCommand, CommandParser

from runtime.celery import app


class Command(BaseCommand):
    help = __doc__ or ""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--queues", default="dispatch,reconcile")
        parser.add_argument("--concurrency", type=int, default=4)

    def handle(self, *args: object, queues: str, concurrency: int, **options: object) -> None:
        app.worker_main(
            [
                "--quiet",
                "worker",
                "--pool=threads",
                f"--concurrency={concurrency}",
                f"--queues={queues}",
                "--loglevel=INFO",
                "--without-gossip",
                "--without-mingle",
                "--without-heartbeat",
            ]
        )
