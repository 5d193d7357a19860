"""What agents may propose, found by name or by name and version."""

from __future__ import annotations

from typing import Final

from runtime.capabilities.protocol import Capability, Effect, Parsed, Precondition
from runtime.capabilities.refund_payment import RefundPayment

# The last version of a name is what the bare name means.
ALL: Final[tuple[Capability, ...]] = (RefundPayment(),)
BY_NAME: Final = {name: each for each in ALL for name in (each.name, each.id)}

__all__ = ["Capability", "Effect", "Parsed", "Precondition", "capability", "require"]


def capability(name: str) -> Capability | None:
    """Find `refund-payment` or `refund-payment@1`; None for what nobody registered."""
    return BY_NAME.get(name)


def require(capability_id: str) -> Capability:
    """Find what a recorded call asked for: versions are never taken away. Raises KeyError."""
    return BY_NAME[capability_id]
