"""Where a payment provider says that something happened: it proves who it is, and we look."""

from __future__ import annotations

from typing import Final

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from console.api.base import ApiView
from console.api.problems import ProblemError, refusal
from runtime import notices

MOST_BYTES: Final = 256 * 1024
NOT_SIGNED: Final = refusal(400, "not_signed", "No account here has signed this lately.")


@extend_schema(exclude=True)
class StripeWebhook(ApiView):
    """Whatever is wrong with account or signature, the answer is the same."""

    authentication_classes = []
    most_bytes = MOST_BYTES

    def post(self, request: Request, account: str) -> Response:
        signature = request.META.get("HTTP_STRIPE_SIGNATURE", "")
        if not notices.take_in(account, self.raw, signature):
            raise ProblemError(NOT_SIGNED)
        return Response({"received": True})
