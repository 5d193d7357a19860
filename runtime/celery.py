"""The Celery application: it carries wake-ups, and losing any of them loses nothing."""

from __future__ import annotations

from celery import Celery, Task
from celery.signals import setup_logging, task_prerun, worker_ready, worker_shutting_down
from django.conf import settings
from structlog.contextvars import bind_contextvars, clear_contextvars

from runtime.heartbeats import Heart

app = Celery("countersign")
# For every thread, not only for the one that imports this.
app.set_default()
app.conf.update(
    broker_url=settings.CELERY_BROKER_URL,
    imports=["runtime.tasks"],
    task_serializer="json",
    accept_content=["json"],
    task_ignore_result=True,
    task_default_queue="dispatch",
    task_routes={
        "runtime.observe": {"queue": "reconcile"},
        "runtime.take_notice": {"queue": "reconcile"},
    },
    # A killed worker's task comes again; what it finds claimed, it leaves alone.
    task_acks_late=True,
    task_reject_on_worker_lost=True,
    worker_prefetch_multiplier=1,
    worker_enable_remote_control=False,
    worker_send_task_events=False,
    broker_connection_retry_on_startup=True,
    broker_connection_max_retries=None,
    broker_connection_timeout=2,
    broker_transport_options={
        "visibility_timeout": 120,
        "unacked_restore_interval": 10,
        "unacked_restore_throttle": 1,
        "socket_connect_timeout": 2,
        "socket_timeout": 10,
        # A web request is not held up by a broker that is away: the timer wakes the work.
        "max_retries": 1,
        "interval_start": 0,
    },
)

heart = Heart("worker")


@setup_logging.connect
def _keep_our_logging(**_: object) -> None:
    """Whoever answers this signal has set logging up: the settings have."""


@task_prerun.connect
def _say_what_this_is(task_id: str, task: Task, args: list[str], **_: object) -> None:
    """A thread of the pool still remembers its last task."""
    clear_contextvars()
    bind_contextvars(task=task.name, task_id=task_id, subject=args[0])


@worker_ready.connect
def _start_beating(**_: object) -> None:
    heart.start()


@worker_shutting_down.connect
def _stop_beating(**_: object) -> None:
    heart.stop()
