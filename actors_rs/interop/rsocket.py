"""Publishers and Subscribers of rsocket's ``reactivestreams`` package, both ways.

They have the same signals as ours, but two differences: ``on_next(value, is_complete)`` may be the
last signal as well, and rsocket lives on an event loop, where its objects must be called. Needs
rsocket: ``pip install 'actors-rs[rsocket]'``.
"""

from __future__ import annotations

from asyncio import AbstractEventLoop, get_running_loop
from collections.abc import Callable
from importlib import import_module
from typing import Any, Never

from actors_rs.errors import MissingExtraError
from actors_rs.graph.checks import wrong_kind
from actors_rs.language.flow import Flow, Source
from actors_rs.protocol.interfaces import Publisher, Subscriber, Subscription
from actors_rs.texts import repr_of

__all__ = ["from_rsocket", "publisher_of", "to_rsocket"]

_Call = Callable[..., object]


def from_rsocket(publisher: Any, loop: AbstractEventLoop | None = None) -> Flow[Never, Any]:
    """The elements of an rsocket ``Publisher``, subscribed to anew in each run, with back-pressure.

    ``loop`` is the event loop that ``publisher`` lives on: the running one by default, none if no
    loop is running. There ``subscribe``, ``request`` and ``cancel`` are called.
    """
    return Source.from_publisher(publisher_of(publisher, loop))


def publisher_of(publisher: Any, loop: AbstractEventLoop | None = None) -> Publisher[Any]:
    """Our ``Publisher`` for one of rsocket, see ``from_rsocket``."""
    if not callable(getattr(publisher, "subscribe", None)):
        raise wrong_kind(f"from_rsocket: expected a Publisher, got {repr_of(publisher)}")
    return _Ours(publisher, _calling(loop))


def to_rsocket(publisher: Publisher[Any], loop: AbstractEventLoop | None = None) -> Any:
    """rsocket's ``Publisher`` for one of ours, for instance ``system.publisher(source)``.

    Its Subscribers are called on ``loop``: the running one by default, none if no loop is running.

    Raises ``MissingExtraError`` without rsocket.
    """
    if not callable(getattr(publisher, "subscribe", None)):
        raise wrong_kind(f"to_rsocket: expected a Publisher, got {repr_of(publisher)}")
    call = _calling(loop)
    base: Any = _interfaces("publisher").Publisher

    class Theirs(base):  # type: ignore[misc]
        """Subscribes their Subscribers to our Publisher."""

        def subscribe(self, subscriber: Any) -> None:
            if subscriber is None:
                raise TypeError("subscribe: expected a Subscriber, got None")
            publisher.subscribe(_Outward(subscriber, call))

    return Theirs()


def _interfaces(name: str) -> Any:
    try:
        return import_module(f"reactivestreams.{name}")
    except ImportError as error:
        raise MissingExtraError(
            "actors_rs.interop.rsocket needs rsocket: pip install 'actors-rs[rsocket]'"
        ) from error


def _calling(loop: AbstractEventLoop | None) -> _Call:
    """A function that calls ``f(*arguments)`` where rsocket's objects live."""
    if loop is None:
        try:
            loop = get_running_loop()
        except RuntimeError:
            return lambda f, *arguments: f(*arguments)
    return loop.call_soon_threadsafe


class _Ours:
    """Their Publisher with our interface."""

    def __init__(self, publisher: Any, call: _Call) -> None:
        self._publisher = publisher
        self._call = call

    def subscribe(self, subscriber: Subscriber[Any], /) -> None:
        if subscriber is None:
            raise TypeError("subscribe: expected a Subscriber, got None")
        self._call(self._publisher.subscribe, _inward(subscriber, self._call))


class _There:
    """Their Subscription, called where it lives."""

    def __init__(self, subscription: Any, call: _Call) -> None:
        self._subscription = subscription
        self._call = call

    def request(self, n: int, /) -> None:
        self._call(self._subscription.request, n)

    def cancel(self) -> None:
        self._call(self._subscription.cancel)


def _inward(subscriber: Subscriber[Any], call: _Call) -> Any:
    base: Any = _interfaces("subscriber").Subscriber

    class Inward(base):  # type: ignore[misc]
        """What their Publisher signals goes to our Subscriber; the last signal is one."""

        def __init__(self) -> None:
            self._ended = False

        def on_subscribe(self, subscription: Any) -> None:
            subscriber.on_subscribe(_There(subscription, call))

        def on_next(self, value: Any, is_complete: bool = False) -> None:
            if not self._ended:
                subscriber.on_next(value)
            if is_complete:
                self.on_complete()

        def on_error(self, exception: BaseException) -> None:
            if not self._ended:
                self._ended = True
                subscriber.on_error(exception)

        def on_complete(self) -> None:
            if not self._ended:
                self._ended = True
                subscriber.on_complete()

    return Inward()


class _Outward:
    """Their Subscriber with our interface."""

    def __init__(self, subscriber: Any, call: _Call) -> None:
        self._subscriber = subscriber
        self._call = call

    def on_subscribe(self, subscription: Subscription, /) -> None:
        self._call(self._subscriber.on_subscribe, _theirs(subscription))

    def on_next(self, element: Any, /) -> None:
        self._call(self._subscriber.on_next, element, False)

    def on_error(self, error: BaseException, /) -> None:
        self._call(self._subscriber.on_error, error)

    def on_complete(self) -> None:
        self._call(self._subscriber.on_complete)


def _theirs(subscription: Subscription) -> Any:
    base: Any = _interfaces("subscription").Subscription

    class Theirs(base):  # type: ignore[misc]
        """Our Subscription with their interface."""

        def request(self, n: int) -> None:
            subscription.request(n)

        def cancel(self) -> None:
            subscription.cancel()

    return Theirs()
