"""The one door of the web process: pages, the API and live sockets."""

from __future__ import annotations

import os
from typing import Any

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "console.settings")
http = get_asgi_application()

from channels.routing import ProtocolTypeRouter, URLRouter

from console.bodies import WholeBodies
from console.live.routing import routes
from console.live.waiting import Waiting
from console.threads import KeptThreads

# Each thread keeps a connection; PostgreSQL grants a hundred by default, to all processes.
THREADS = 32


async def lifespan(_scope: Any, receive: Any, send: Any) -> None:  # noqa: ANN401 - ASGI
    """Nothing to start or stop: sockets take their own leave when the server closes them."""
    message = {"type": ""}
    while message["type"] != "lifespan.shutdown":
        message = await receive()
        await send({"type": f"{message['type']}.complete"})


application = ProtocolTypeRouter(
    {
        "http": WholeBodies(Waiting(KeptThreads(http, limit=THREADS))),
        "websocket": URLRouter(routes),
        "lifespan": lifespan,
    }
)
