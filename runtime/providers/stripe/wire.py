"""One HTTP session for one question to the provider."""

from __future__ import annotations

from typing import Any, Final
from urllib.parse import urlsplit

import requests
from requests.adapters import HTTPAdapter
from urllib3 import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.connection import HTTPConnection, HTTPSConnection

from runtime.pause_points import pause_at

LOOPBACK: Final = frozenset({"127.0.0.1", "::1", "localhost"})


def new_session(api_base: str) -> requests.Session:
    """A connection kept from earlier may be dead, which looks like a lost answer."""
    session = requests.Session()
    # No proxy stands between us and this machine.
    session.trust_env = urlsplit(api_base).hostname not in LOOPBACK
    return session


def new_sending_session(api_base: str) -> requests.Session:
    """The same for what moves money: it can be halted with the request written."""
    session = new_session(api_base)
    session.mount(api_base, SendingAdapter())
    return session


class PlainConnection(HTTPConnection):
    def getresponse(self) -> Any:  # noqa: ANN401 - as it is declared there
        pause_at("after_write")
        return super().getresponse()


class SecureConnection(HTTPSConnection):
    def getresponse(self) -> Any:  # noqa: ANN401 - as it is declared there
        pause_at("after_write")
        return super().getresponse()


class PlainPool(HTTPConnectionPool):
    ConnectionCls = PlainConnection


class SecurePool(HTTPSConnectionPool):
    ConnectionCls = SecureConnection


class SendingAdapter(HTTPAdapter):
    def init_poolmanager(self, *args: Any, **more: Any) -> None:  # noqa: ANN401
        super().init_poolmanager(*args, **more)
        self.poolmanager.pool_classes_by_scheme = {"http": PlainPool, "https": SecurePool}
