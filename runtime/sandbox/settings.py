"""What the sandbox is told through its environment, and the reasons it refuses to start."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

LIVE_KEYS = ("sk_live_", "rk_live_")
TEST_KEYS = ("sk_test_", "rk_test_")


class StartRefusedError(Exception):
    """The sandbox will not start, and its message is the one line that says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    api_key: str
    token: str
    key_life_s: int
    webhook_url: str
    webhook_secret: str


def read_settings(environ: Mapping[str, str]) -> Settings:
    """Read the environment, or raise the first reason not to start."""
    reason = refusal(environ)
    if reason is not None:
        raise StartRefusedError(reason)
    return Settings(
        api_key=environ["SANDBOX_API_KEY"],
        token=environ["SANDBOX_TOKEN"],
        key_life_s=int(environ.get("KEY_LIFE_S", "86400")),
        webhook_url=environ.get("SANDBOX_WEBHOOK_URL", ""),
        webhook_secret=environ.get("SANDBOX_WEBHOOK_SECRET", ""),
    )


def refusal(environ: Mapping[str, str]) -> str | None:
    for name in sorted(environ):
        # Any variable: a live key under a name we did not think of is just as live.
        if environ[name].strip().startswith(LIVE_KEYS):
            return f"{name} holds a live provider key; the sandbox does not run beside one"
    if not environ.get("SANDBOX_API_KEY", "").startswith(TEST_KEYS):
        return "SANDBOX_API_KEY must be set to a test key (sk_test_…)"
    if not environ.get("SANDBOX_TOKEN"):
        return "SANDBOX_TOKEN must be set to the control token"
    life = environ.get("KEY_LIFE_S", "86400")
    if not (life.isascii() and life.isdigit() and int(life) > 0):
        return "KEY_LIFE_S must be a whole number of seconds above zero"
    if environ.get("SANDBOX_WEBHOOK_URL") and not environ.get("SANDBOX_WEBHOOK_SECRET"):
        return "SANDBOX_WEBHOOK_URL needs SANDBOX_WEBHOOK_SECRET to sign with"
    return None
