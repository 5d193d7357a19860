"""Commands to a run: stop, retry, resume, withdraw, finish."""

from __future__ import annotations

from uuid import UUID

from rest_framework.request import Request
from rest_framework.response import Response

from console.api.base import ApiView, found
from console.api.permissions import Act, require
from console.api.problems import invalid
from console.api.receipts import command_answer
from console.api.runs import visible_runs
from console.api.schema import describe
from console.api.schemas import CommandBody
from console.view_models.receipts import ReceiptView
from runtime.handlers import RunCommand, command_run
from runtime.handlers.run_commands import RunCommandKind
from runtime.models import Run, ToolCall

OF_ITS_AGENT = frozenset({RunCommandKind.WITHDRAW, RunCommandKind.FINISH})
ON_A_CALL = frozenset({RunCommandKind.WITHDRAW, RunCommandKind.RETRY})


class CommandCollection(ApiView):
    @describe(
        "command_run",
        "Stop, resume or finish a run; retry or withdraw one of its calls",
        body=CommandBody,
        answers={200: ReceiptView},
        problems={
            403: "not_authorized",
            404: "not_found",
            409: "run_ended, not_settled, not_retryable, too_late",
            422: "idempotency_mismatch",
            429: "too_many_open",
        },
    )
    def post(self, _request: Request, run_id: UUID) -> Response:
        run = found(visible_runs(self.caller), run_id)
        require(self.caller, Act.STEER, Act.WORK)
        body = self.body(CommandBody)
        require(self.caller, Act.WORK if body.kind in OF_ITS_AGENT else Act.STEER)
        _check_call(run, body)
        command = RunCommand(
            command_id=body.command_id,
            kind=body.kind,
            tool_call=body.tool_call,
            outcome=body.outcome,
            reason=body.reason,
        )
        return command_answer(command_run(self.caller.actor, run.pk, command))


def _check_call(run: Run, body: CommandBody) -> None:
    if body.kind not in ON_A_CALL:
        return
    if body.tool_call is None:
        raise invalid([("tool_call", f"Say which call to {body.kind}.")])
    if not ToolCall.objects.filter(run=run, pk=body.tool_call).exists():
        raise invalid([("tool_call", "The run has no such call.")])
