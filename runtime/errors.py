"""What stops the runtime: a log it cannot read, or a move the tables do not list."""

from __future__ import annotations


class RuntimeFaultError(Exception):
    """The runtime would not do that, and nothing was changed."""


class UnreadableLogError(RuntimeFaultError):
    """The log of a run holds what this program cannot read: it leaves the run alone."""


class UnknownEventError(UnreadableLogError):
    """An event, or a version of one, that only a newer program knows."""


class MalformedEventError(UnreadableLogError):
    """An event's fields differ from the ones its type declares."""


class EventTooLargeError(RuntimeFaultError):
    """A fact's body is larger than an event may be: what is large belongs into an artifact."""

    def __init__(self, event_type: str, size: int, most: int) -> None:
        super().__init__(f"{event_type} would take {size:,} bytes; an event has at most {most:,}.")
        self.event_type = event_type
        self.size = size
        self.most = most


class IllegalTransitionError(RuntimeFaultError):
    """A fact arrived that cannot follow the ones before it."""


class UnsafeTextError(RuntimeFaultError):
    """The text holds a NUL or half a surrogate pair, which no store can keep."""


class DataKeyError(RuntimeFaultError):
    """No DATA_KEY of this process opens what is stored: the one it was sealed with is missing."""

    def __init__(self) -> None:
        super().__init__(self.__doc__)
