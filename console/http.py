"""HTTP as uvicorn speaks it, with a refusal of ours for what is no request at all."""

from __future__ import annotations

import json

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from console.api.problems import MEDIA_TYPE, body_of, refusal

NO_REQUEST = refusal(400, "malformed", "This is no HTTP request, or its head is too large.")


class Http(H11Protocol):
    def send_400_response(self, _msg: str) -> None:
        headers = [(b"content-type", MEDIA_TYPE.encode()), (b"connection", b"close")]
        answer = [
            h11.Response(status_code=400, headers=headers, reason=b"Bad Request"),
            h11.Data(data=json.dumps(body_of(NO_REQUEST)).encode()),
            h11.EndOfMessage(),
        ]
        for event in answer:
            if sent := self.conn.send(event):
                self.transport.write(sent)
        self.transport.close()
