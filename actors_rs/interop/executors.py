"""Futures of ``concurrent.futures`` as sources, and runs as futures.

``map_async(f, executor=pool)`` calls a function for each element on an executor.
"""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import Future
from typing import Any, Never, TypeVar

from actors_rs.engine.run.run import Run
from actors_rs.graph.checks import at_least, flag, wrong_kind
from actors_rs.language.flow import Flow, Source
from actors_rs.texts import repr_of

__all__ = ["from_futures", "to_future"]

T = TypeVar("T")


def from_futures(
    futures: Iterable[Future[T]], *, ordered: bool = False, ahead: int = 1024
) -> Flow[Never, T]:
    """The results of ``futures`` as they come, or with ``ordered`` in the order of ``futures``.

    ``futures`` is drawn on demand, at most ``ahead`` at a time: a generator that submits calls to
    an executor is slowed down by a slow consumer. A future that fails fails the stream with its
    error. A run that ends early cancels the futures it waits for.

    >>> from concurrent.futures import ThreadPoolExecutor
    >>> from actors_rs import Sink
    >>> with ThreadPoolExecutor() as pool:
    ...     from_futures([pool.submit(pow, 2, n) for n in (3, 4)]).run(Sink.sum())
    24
    """
    flag(ordered, "from_futures: ordered")
    at_least(1, ahead, "from_futures: ahead")
    return Source.from_iterable(futures).map_async(_itself, ahead, ordered=ordered)


def _itself(future: Any) -> Any:
    if not isinstance(future, Future):
        raise TypeError(
            f"from_futures: expected a concurrent.futures.Future, got {repr_of(future)}"
        )
    return future


def to_future(run: Run[T]) -> Future[T]:
    """A ``concurrent.futures.Future`` of what ``run`` ends with, for ``wait`` and ``as_completed``.

    Cancelling the future cancels the run.

    >>> from concurrent.futures import wait
    >>> from actors_rs import ActorSystem, Sink
    >>> with ActorSystem() as system:
    ...     future = to_future(system.start(Source.range(0, 5).to(Sink.sum())))
    ...     done, _ = wait([future])
    >>> future.result()
    10
    """
    if not isinstance(run, Run):
        raise wrong_kind(f"to_future: expected the Run of system.start(graph), got {repr_of(run)}")
    future: Future[T] = Future()

    def ended() -> None:
        if not future.set_running_or_notify_cancel():
            return
        try:
            future.set_result(run.result(0))
        except BaseException as error:
            future.set_exception(error)

    def looked(_: Future[T]) -> None:
        if future.cancelled():
            run.cancel()

    future.add_done_callback(looked)
    run.when_ended(ended)
    return future
