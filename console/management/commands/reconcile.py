"""Have workers look now at every call whose result or outcome is not known yet."""

from __future__ import annotations

from django.core.management.base import BaseCommand, CommandParser
from django.db import transaction

from console.management.operator import plain_refusals, workspace_named
from runtime.calls import wake
from runtime.event_log import Cause, lock_run
from runtime.models import ToolCall
from runtime.states import CALL_IN_DOUBT, CallStatus, VerificationStatus

CAUSE = Cause(producer="reconcile")


class Command(BaseCommand):
    help = __doc__ or ""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--workspace", help="of this workspace alone")

    def handle(self, *args: object, workspace: str | None, **options: object) -> None:
        with plain_refusals():
            calls = ToolCall.objects.order_by("pk")
            if workspace is not None:
                calls = calls.filter(workspace=workspace_named(workspace))
            in_doubt = calls.filter(execution_status__in=[*CALL_IN_DOUBT, CallStatus.DISPATCHING])
            unseen = calls.filter(verification_status=VerificationStatus.PENDING)
            woken = [call for call in in_doubt.union(unseen) if _woken(call)]
            self.stdout.write(f"{len(woken)} calls are looked at.")


@transaction.atomic(durable=True)
def _woken(call: ToolCall) -> bool:
    """Wake under the run's lock: what is settled meanwhile clears its timer for good."""
    locked = lock_run(call.run_id, cause=CAUSE)
    call.refresh_from_db()
    is_open = call.execution_status in {*CALL_IN_DOUBT, CallStatus.DISPATCHING}
    if is_open or call.verification_status == VerificationStatus.PENDING:
        wake(locked, call)
        return True
    return False
