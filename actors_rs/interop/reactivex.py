"""RxPY (``reactivex``) observables as sources, and streams as observables.

Rx knows no demand: an observable sends when it likes. So a source of one has a buffer with a
policy, and an observable of a stream asks for everything. Needs reactivex:
``pip install 'actors-rs[rx]'``.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any, Never

from actors_rs.engine.run.source_queue import QueueOverflow
from actors_rs.errors import MissingExtraError
from actors_rs.graph.checks import wrong_kind
from actors_rs.language.flow import Flow, Source
from actors_rs.protocol.demand import UNBOUNDED
from actors_rs.runtime.system.system import ActorSystem
from actors_rs.texts import repr_of

__all__ = ["from_rx", "to_rx"]


def from_rx(
    observable: Any, buffer: int = 1024, overflow: QueueOverflow = "fail"
) -> Flow[Never, Any]:
    """The elements of ``observable``, subscribed to anew in each run, on a thread of its own.

    Up to ``buffer`` elements wait for demand. Then ``overflow`` decides: ``"fail"`` fails the
    stream, ``"drop_oldest"``, ``"drop_newest"`` and ``"drop_all"`` drop and count,
    ``"backpressure"`` lets the observable's thread wait. The subscription is disposed of when the
    run ends in any way.

    Raises ``TypeError`` for what is no observable.

    >>> import reactivex
    >>> from actors_rs import Sink
    >>> from_rx(reactivex.of(1, 2, 3)).run(Sink.list())
    [1, 2, 3]
    """
    if not callable(getattr(observable, "subscribe", None)) or not hasattr(observable, "pipe"):
        raise wrong_kind(f"from_rx: expected an Observable, got {repr_of(observable)}")
    return Source.from_callback(partial(_subscribed, observable), buffer, overflow)


def _subscribed(observable: Any, emit: Any) -> Callable[[], object]:
    from reactivex import operators
    from reactivex.scheduler import NewThreadScheduler

    elsewhere = observable.pipe(operators.subscribe_on(NewThreadScheduler()))
    return elsewhere.subscribe(emit, emit.fail, emit.complete).dispose  # type: ignore[no-any-return]


def to_rx(source: Flow[Never, Any], system: ActorSystem) -> Any:
    """An ``Observable`` of ``source``: each subscription is a run on ``system``.

    ``on_next`` is called on a thread of the system, one element at a time: an observer that takes
    its time slows the stream down. Disposing of the subscription cancels the run.

    Raises ``MissingExtraError`` without reactivex.
    """
    try:
        rx = import_module("reactivex")
    except ImportError as error:
        raise MissingExtraError("to_rx needs reactivex: pip install 'actors-rs[rx]'") from error
    if not isinstance(source, Flow):
        raise wrong_kind(f"to_rx: expected a Source, got {repr_of(source)}")
    publisher = system.publisher(source)

    def subscribe(observer: Any, _: Any = None) -> Any:
        disposable = import_module("reactivex.disposable")
        subscriber = _Observing(observer)
        publisher.subscribe(subscriber)
        return disposable.Disposable(subscriber.dispose)

    return rx.create(subscribe)


class _Observing:
    """Asks for everything, and gives an observer what comes."""

    def __init__(self, observer: Any) -> None:
        self._observer = observer
        self._subscription: Any = None
        self._disposed = False

    def on_subscribe(self, subscription: Any, /) -> None:
        self._subscription = subscription
        if self._disposed:
            subscription.cancel()
        else:
            subscription.request(UNBOUNDED)

    def on_next(self, element: Any, /) -> None:
        self._observer.on_next(element)

    def on_error(self, error: BaseException, /) -> None:
        self._observer.on_error(error)

    def on_complete(self) -> None:
        self._observer.on_completed()

    def dispose(self) -> None:
        """Cancel the run; also one whose subscription has not come yet."""
        self._disposed = True
        if self._subscription is not None:
            self._subscription.cancel()
