"""The four interfaces of Reactive Streams, as Protocols.

Any object with these methods takes part; nothing has to be subclassed. Parameters are
positional-only so that a neighbour's own parameter names fit. ``isinstance`` checks that the
methods are there, not that they keep the rules.
"""

from __future__ import annotations

from typing import Any, Protocol, TypeGuard, TypeVar, runtime_checkable

__all__ = [
    "Processor",
    "Publisher",
    "Subscriber",
    "Subscription",
    "is_publisher",
    "is_subscriber",
    "is_subscription",
]

T_co = TypeVar("T_co", covariant=True)
T_contra = TypeVar("T_contra", contravariant=True)


@runtime_checkable
class Subscription(Protocol):
    """One subscriber's relation to one publisher. Both methods may be called from any thread.

    >>> class Counted:
    ...     def __init__(self):
    ...         self.requested = 0
    ...     def request(self, n):
    ...         self.requested += n
    ...     def cancel(self):
    ...         self.requested = 0
    >>> isinstance(Counted(), Subscription)
    True
    """

    def request(self, n: int, /) -> None:
        """Ask for ``n`` more elements; adds up, saturating at ``UNBOUNDED`` (rules 3.8, 3.17).

        ``n`` below 1 ends the stream with ``on_error(ValueError)`` (3.9). Never blocks (3.4).
        """
        ...

    def cancel(self) -> None:
        """Ask for no more. Idempotent, never blocks (3.5, 3.7)."""
        ...


@runtime_checkable
class Subscriber(Protocol[T_contra]):
    """Receives ``on_subscribe``, then elements it asked for, then at most one terminal signal.

    >>> from threading import Event
    >>> ended = Event()
    >>> class Printer:
    ...     def on_subscribe(self, subscription):
    ...         subscription.request(UNBOUNDED)
    ...     def on_next(self, element):
    ...         print(element)
    ...     def on_error(self, error):
    ...         print("failed:", error)
    ...     def on_complete(self):
    ...         print("done")
    ...         ended.set()
    >>> with ActorSystem() as system:
    ...     system.publisher(Source.of("a")).subscribe(Printer())
    ...     ended.wait(timeout=5)
    a
    done
    True
    """

    def on_subscribe(self, subscription: Subscription, /) -> None:
        """First signal. ``TypeError`` for ``None`` (2.13)."""
        ...

    def on_next(self, element: T_contra, /) -> None:
        """One requested element. ``TypeError`` for ``None`` (2.13)."""
        ...

    def on_error(self, error: BaseException, /) -> None:
        """The stream failed; nothing follows (1.7)."""
        ...

    def on_complete(self) -> None:
        """The stream ended; nothing follows (1.7)."""
        ...


@runtime_checkable
class Publisher(Protocol[T_co]):
    """Gives elements to the subscribers that ask for them.

    >>> with ActorSystem() as system:
    ...     publisher = system.publisher(Source.of("a"))
    ...     subscriber = system.subscriber(Sink.list())
    ...     publisher.subscribe(subscriber)
    ...     isinstance(publisher, Publisher), subscriber.run.result()
    (True, ['a'])
    """

    def subscribe(self, subscriber: Subscriber[T_co], /) -> None:
        """Start a stream to ``subscriber``. ``TypeError`` for ``None`` (1.9)."""
        ...


@runtime_checkable
class Processor(Subscriber[T_contra], Publisher[T_co], Protocol[T_contra, T_co]):
    """A Subscriber that is a Publisher too, bound by the rules of both (4.1).

    >>> with ActorSystem() as system:
    ...     processor = system.processor(Flow().map(int))
    ...     system.publisher(Source.of("3")).subscribe(processor)
    ...     isinstance(processor, Processor), Source.from_publisher(processor).run(Sink.list())
    (True, [3])
    """


def is_publisher(value: object) -> TypeGuard[Publisher[Any]]:
    """Whether ``value`` has the method of a Publisher; a class has not, its objects may.

    >>> with ActorSystem() as system:
    ...     is_publisher(system.publisher(Source.of("a"))), is_publisher("a")
    (True, False)
    """
    return _has(value, "subscribe")


def is_subscriber(value: object) -> TypeGuard[Subscriber[Any]]:
    """Whether ``value`` has the methods of a Subscriber; a class has not, its objects may.

    >>> with ActorSystem() as system:
    ...     is_subscriber(system.subscriber(Sink.list())), is_subscriber(Sink.list())
    (True, False)
    """
    return _has(value, "on_subscribe", "on_next", "on_error", "on_complete")


def is_subscription(value: object) -> TypeGuard[Subscription]:
    """Whether ``value`` has the methods of a Subscription; a class has not, its objects may.

    >>> is_subscription("a")
    False
    """
    return _has(value, "request", "cancel")


def _has(value: object, *methods: str) -> bool:
    return not isinstance(value, type) and all(
        callable(getattr(value, method, None)) for method in methods
    )
