"""What stops the runtime: a log it cannot read, or a move the tables do not list."""

from __future__ import annotations


class RuntimeFaultError(Exception):
    """The runtime would not do that, and nothing was changed."""


class UnknownEventError(RuntimeFaultError):
    """The log holds an event that this code cannot read."""


class MalformedEventError(RuntimeFaultError):
    """An event's fields differ from the ones its type declares."""


class IllegalTransitionError(RuntimeFaultError):
    """A fact arrived that cannot follow the ones before it."""


class UnsafeTextError(RuntimeFaultError):
    """The text holds a NUL or half a surrogate pair, which no store can keep."""


class DataKeyError(RuntimeFaultError):
    """No DATA_KEY of this process opens what is stored: the one it was sealed with is missing."""

    def __init__(self) -> None:
        super().__init__(self.__doc__)
