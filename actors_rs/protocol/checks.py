"""Checks of a peer before its first signal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from actors_rs.texts import class_name_of

__all__ = ["FrameSubscriber", "check_subscriber", "shown", "takes_frames"]

_SUBSCRIBER_METHODS = ("on_subscribe", "on_next", "on_error", "on_complete")


def check_subscriber(subscriber: Any) -> None:
    """Raise ``TypeError`` unless ``subscriber`` has a Subscriber's methods (1.9)."""
    if subscriber is None:
        raise TypeError("rule 1.9: subscribe needs a Subscriber, got None")
    missing = [m for m in _SUBSCRIBER_METHODS if not callable(getattr(subscriber, m, None))]
    if missing:
        raise TypeError(
            f"rule 1.9: subscribe needs a Subscriber, got a {class_name_of(subscriber)} "
            f"without {', '.join(missing)}"
        )


def shown(argument: object) -> str:
    """An argument that is none, for messages; its own ``repr`` might raise."""
    return "None" if argument is None else f"a {class_name_of(argument)}"


class FrameSubscriber:
    """A Subscriber of ours, which a publisher of ours gives whole frames.

    To be one is to say so: a mock and a proxy have an ``on_frame``, and so may anybody else's
    class, for frames of its own.
    """

    __slots__ = ()

    def on_frame(self, frame: Sequence[Any], /) -> None:
        """Several requested elements at once, in order; ``None`` is one like any other."""
        raise NotImplementedError


def takes_frames(subscriber: object) -> bool:
    """Whether ``subscriber`` takes frames, regardless of what it claims as its class."""
    return issubclass(type(subscriber), FrameSubscriber)
