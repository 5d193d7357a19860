"""Receipts as their own actor sees them."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from console.view_models.receipts import AskedReceiptView, ReceiptView
from runtime.models import Receipt
from runtime.receipts import ASKED


def receipt_view(receipt: Receipt, *, replayed: bool = False) -> ReceiptView:
    said: dict[str, Any] = {
        "command_id": receipt.command_id,
        "kind": receipt.kind,
        "target": str(receipt.target),
        "actor": receipt.actor.username,
        "surface": receipt.surface,
        "token": receipt.token,
        "status": receipt.status,
        "http_status": receipt.http_status,
        "code": receipt.code,
        "detail": receipt.detail,
        "event_positions": tuple(receipt.event_positions),
        "received_at": receipt.received_at,
        "replayed": replayed,
    }
    if receipt.http_status == ASKED:
        return AskedReceiptView(approval=UUID(receipt.extra["approval"]), **said)
    return ReceiptView(**said)
