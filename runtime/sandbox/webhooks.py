"""Carrying announcements to the webhook endpoint: signed, retried, and as unruly as asked."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import time
from concurrent.futures import Future
from dataclasses import dataclass, field
from queue import SimpleQueue
from threading import Thread, Timer
from typing import Literal, assert_never

import requests

from runtime.sandbox.events import Announcement

Mode = Literal["normal", "duplicate", "reorder", "early", "off"]

AFTER_ANSWER_S = 0.05
REORDER_WINDOW_S = 1.0
EARLY_WAIT_S = 5.0
TIME_OUT_S = 5.0
RETRY_AFTER_S = (0.5, 2.0, 8.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    announcement: Announcement
    attempt: int = 0
    done: Future[None] = field(default_factory=Future)


def signature(body: bytes, secret: str, at: int) -> str:
    """The `Stripe-Signature` header; `at` is real time, whatever the sandbox's clock says."""
    digest = hmac.new(secret.encode(), f"{at}.".encode() + body, hashlib.sha256)
    return f"t={at},v1={digest.hexdigest()}"


class Deliverer:
    """One thread sends, so order is ours to keep or break; a daemon, so it never delays the end."""

    def __init__(self, url: str, secret: str) -> None:
        self.url = url
        self.secret = secret
        self.queue: SimpleQueue[Delivery] = SimpleQueue()
        self.held: list[Announcement] = []
        self.http = requests.Session()
        self.http.trust_env = False
        if url:
            Thread(target=self._run, name="webhooks", daemon=True).start()

    async def announce(self, announcements: tuple[Announcement, ...], mode: Mode) -> None:
        """Return when the caller may answer: at once, except in `early` mode."""
        if not (self.url and announcements):
            return
        match mode:
            case "normal":
                self._after_answer([*announcements])
            case "duplicate":
                self._after_answer([one for one in announcements for _ in range(2)])
            case "reorder":
                self._hold(announcements)
            case "early":
                sent = [self._enqueue(announcement) for announcement in announcements]
                await asyncio.wait(map(asyncio.wrap_future, sent), timeout=EARLY_WAIT_S)
            case "off":
                pass
            case _:
                assert_never(mode)

    def _after_answer(self, announcements: list[Announcement]) -> None:
        for one in announcements:
            asyncio.get_running_loop().call_later(AFTER_ANSWER_S, self._enqueue, one)

    def _hold(self, announcements: tuple[Announcement, ...]) -> None:
        """Collect for a moment, so that a later refund's news can overtake an earlier one's."""
        if not self.held:
            asyncio.get_running_loop().call_later(REORDER_WINDOW_S, self._release)
        self.held.extend(announcements)

    def _release(self) -> None:
        for announcement in reversed(self.held):
            self._enqueue(announcement)
        self.held.clear()

    def _enqueue(self, announcement: Announcement) -> Future[None]:
        delivery = Delivery(announcement=announcement)
        self.queue.put(delivery)
        return delivery.done

    def _run(self) -> None:
        while True:
            delivery = self.queue.get()
            if not self._post(delivery.announcement) and delivery.attempt < len(RETRY_AFTER_S):
                self._retry(delivery)
            # `early` waits for the first attempt only, and may have stopped waiting.
            if delivery.done.set_running_or_notify_cancel():
                delivery.done.set_result(None)

    def _post(self, announcement: Announcement) -> bool:
        stamp = signature(announcement.body, self.secret, int(time.time()))
        headers = {"Content-Type": "application/json", "Stripe-Signature": stamp}
        try:
            answer = self.http.post(
                self.url,
                data=announcement.body,
                headers=headers,
                timeout=TIME_OUT_S,
                allow_redirects=False,
            )
        except requests.RequestException:
            return False
        return answer.ok

    def _retry(self, delivery: Delivery) -> None:
        again = Delivery(announcement=delivery.announcement, attempt=delivery.attempt + 1)
        timer = Timer(RETRY_AFTER_S[delivery.attempt], self.queue.put, [again])
        timer.daemon = True
        timer.start()
