"""range -> map -> filter -> sum as one would write it with other libraries.

Each function takes the number of elements and returns the sum.
"""

from __future__ import annotations

from queue import Queue
from threading import Thread
from typing import Any

import pykka

from actors_rs.errors import MissingExtraError
from stress.bench.pipeline import add_one, is_even

__all__ = ["pykka_tells", "queue_threads", "rx_pool", "rx_range", "rx_synchronous"]

_END = object()
QUEUE_SIZE = 1024


def _reactivex() -> Any:
    try:
        import reactivex
        import reactivex.operators  # not imported by the package itself
        import reactivex.scheduler
    except ImportError as error:
        raise MissingExtraError(
            "comparing with RxPY needs the package 'reactivex', which is not installed: "
            'run pip install "actors-rs[bench]"'
        ) from error
    return reactivex


def _rx_sum(source: Any, *between: Any) -> int:
    ops = _reactivex().operators
    total: int = source.pipe(*between, ops.map(add_one), ops.filter(is_even), ops.sum()).run()
    return total


def rx_synchronous(n: int) -> int:
    """``from_iterable``, the fastest source that RxPY has."""
    return _rx_sum(_reactivex().from_iterable(range(n)))


def rx_range(n: int) -> int:
    """RxPY's own ``range``, which schedules each element."""
    return _rx_sum(_reactivex().range(0, n))


def rx_pool(n: int) -> int:
    rx = _reactivex()
    pool = rx.scheduler.ThreadPoolScheduler(2)
    total = _rx_sum(rx.from_iterable(range(n)), rx.operators.observe_on(pool))
    pool.executor.shutdown()
    return total


def queue_threads(n: int) -> int:
    """One thread feeds three others, each through a bounded queue."""
    to_map, to_filter, to_sum = (
        Queue[Any](QUEUE_SIZE),
        Queue[Any](QUEUE_SIZE),
        Queue[Any](QUEUE_SIZE),
    )
    total = 0

    def mapping() -> None:
        while (x := to_map.get()) is not _END:
            to_filter.put(add_one(x))
        to_filter.put(_END)

    def filtering() -> None:
        while (x := to_filter.get()) is not _END:
            if is_even(x):
                to_sum.put(x)
        to_sum.put(_END)

    def summing() -> None:
        nonlocal total
        while (x := to_sum.get()) is not _END:
            total += x

    threads = [Thread(target=target) for target in (mapping, filtering, summing)]
    for thread in threads:
        thread.start()
    for x in range(n):
        to_map.put(x)
    to_map.put(_END)
    for thread in threads:
        thread.join()
    return total


class _Mapping(pykka.ThreadingActor):
    def __init__(self, target: pykka.ActorRef[Any]) -> None:
        super().__init__()
        self.target = target

    def on_receive(self, message: Any) -> Any:
        if message is _END:
            return self.target.ask(_END)
        self.target.tell(add_one(message))
        return None


class _Filtering(pykka.ThreadingActor):
    def __init__(self, target: pykka.ActorRef[Any]) -> None:
        super().__init__()
        self.target = target

    def on_receive(self, message: Any) -> Any:
        if message is _END:
            return self.target.ask(_END)
        if is_even(message):
            self.target.tell(message)
        return None


class _Summing(pykka.ThreadingActor):
    def __init__(self) -> None:
        super().__init__()
        self.total = 0

    def on_receive(self, message: Any) -> Any:
        if message is _END:
            return self.total
        self.total += message
        return None


def pykka_tells(n: int) -> int:
    """Three actors, one tell per element from each to the next."""
    summing = _Summing.start()
    filtering = _Filtering.start(summing)
    mapping = _Mapping.start(filtering)
    try:
        for x in range(n):
            mapping.tell(x)
        total: int = mapping.ask(_END, block=True)
        return total
    finally:
        for ref in (mapping, filtering, summing):
            ref.stop()
