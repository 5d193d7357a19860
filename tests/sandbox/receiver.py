"""A webhook endpoint that keeps what it is sent."""

from __future__ import annotations

import json
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread


class Receiver:
    """`failures` is how many deliveries from now on are answered 500."""

    def __init__(self) -> None:
        self.received: list[tuple[bytes, str, float]] = []
        self.failures = 0
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                receiver.received.append((body, self.headers["Stripe-Signature"], time.time()))
                fails, receiver.failures = receiver.failures > 0, max(receiver.failures - 1, 0)
                self.send_response(500 if fails else 200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_arguments) -> None:
                """Silence: pytest's output is for tests."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/webhooks/stripe/test"
        Thread(target=self.server.serve_forever, daemon=True).start()

    def about(self, object_id: str):
        """The events whose object is, or belongs to, that refund or charge."""
        events = [json.loads(body) for body, _, _ in list(self.received)]
        return [event for event in events if event["data"]["object"]["id"] == object_id]

    def types(self, *object_ids: str) -> list[str]:
        events = [json.loads(body) for body, _, _ in list(self.received)]
        return [event["type"] for event in events if event["data"]["object"]["id"] in object_ids]

    def wait_for(self, count: int, *object_ids: str) -> list[str]:
        deadline = time.monotonic() + 5
        while len(self.types(*object_ids)) < count and time.monotonic() < deadline:
            time.sleep(0.02)
        return self.types(*object_ids)
