"""The operators' benchmark: functions that operators call, and the same work in plain Python."""

from __future__ import annotations

import itertools
import operator
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from heapq import heapify, heappushpop
from typing import Any

__all__ = [
    "FAR",
    "add",
    "as_flows",
    "as_streams",
    "batches_of_100",
    "batches_of_weight_100",
    "below",
    "ever_seen",
    "half",
    "is_negative",
    "justseen",
    "last_of",
    "not_none",
    "not_seen_lately",
    "numbered",
    "or_else",
    "pair",
    "sorted_within_10",
    "twice",
    "weight",
    "windows_of_three",
    "with_a_state",
]


def below(limit: int) -> Callable[[int], bool]:
    return lambda x: x < limit


FAR = 10**12
"""More elements than are ever measured."""


def pair(x: int) -> tuple[int, int]:
    return (x, x)


def last_of(xs: Iterable[Any]) -> Iterable[Any]:
    return deque(xs, maxlen=1)


def windows_of_three(xs: Iterable[int]) -> Iterable[tuple[int, ...]]:
    copies = itertools.tee(xs, 3)
    return zip(*(itertools.islice(c, i, None) for i, c in enumerate(copies)), strict=False)


def batches_of_100(xs: Iterable[int]) -> Iterator[list[int]]:
    left = iter(xs)
    while batch := list(itertools.islice(left, 100)):
        yield batch


def ever_seen(xs: Iterable[int]) -> Iterator[int]:
    seen = set()
    for x in xs:
        if x not in seen:
            seen.add(x)
            yield x


def justseen(xs: Iterable[int]) -> Iterable[int]:
    return map(next, map(operator.itemgetter(1), itertools.groupby(xs)))


def numbered(state: int, x: int) -> tuple[int, int]:
    return state + 1, state + x


def with_a_state(xs: Iterable[int]) -> Iterator[int]:
    state = 0
    for x in xs:
        state, result = numbered(state, x)
        yield result


def half(x: int) -> int | None:
    return x // 2 if x % 2 == 0 else None


def not_none(xs: Iterable[int]) -> Iterator[int]:
    return (y for x in xs if (y := half(x)) is not None)


def add(a: int, x: int) -> int:
    return a + x


def twice(x: int) -> tuple[int, int]:
    return (x, x)


def as_flows(ops: Any) -> list[Any]:
    from reactivex import from_iterable

    return [ops.flat_map(lambda x: from_iterable(twice(x)))]


def as_streams(pipe: Any) -> list[Any]:
    from aiostream import stream

    return [pipe.concatmap(lambda x: stream.iterate(twice(x)))]


def is_negative(x: int) -> bool:
    return x < 0


def sorted_within_10(xs: Iterable[int]) -> Iterator[int]:
    left = iter(xs)
    held = list(itertools.islice(left, 10))
    heapify(held)
    yield from (heappushpop(held, x) for x in left)
    yield from sorted(held)


def weight(x: int) -> int:
    return x % 3


def batches_of_weight_100(xs: Iterable[int]) -> Iterator[list[int]]:
    batch: list[int] = []
    total = 0
    for x in xs:
        if batch and total + weight(x) > 100:
            yield batch
            batch, total = [], 0
        batch.append(x)
        total += weight(x)
    if batch:
        yield batch


def not_seen_lately(xs: Iterable[int]) -> Iterator[int]:
    recent: dict[int, None] = {}
    for x in xs:
        if x in recent:
            del recent[x]
        else:
            yield x
        recent[x] = None
        if len(recent) > 100:
            del recent[next(iter(recent))]


def or_else(xs: Iterable[int]) -> Iterator[int]:
    empty = True
    for x in xs:
        empty = False
        yield x
    if empty:
        yield -1
