"""The operators that ``stress.bench.operators`` measures, each with what one would write instead.

A row is an operator on integers, the same on a plain iterable with what Python has, and, where
they have it, the same for RxPY and aiostream: functions from the library's module of operators to
the ones to be applied in turn. Whoever adds an operator adds a row.
"""

from __future__ import annotations

import itertools
import operator
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import reduce
from typing import Any

from stress.bench.pipeline import add_one, is_even

__all__ = ["ROWS", "Row"]

Operators = Callable[[Any], list[Any]]


@dataclass(frozen=True)
class Row:
    """One operator; ``goal`` is the least ratio to plain Python at window 1024, if there is one."""

    name: str
    ours: Callable[[Any], Any]
    plain: Callable[[Iterable[int]], Iterable[Any]]
    rx: Operators | None = None
    aio: Operators | None = None
    goal: float | None = 0.8


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


ROWS = [
    Row(
        "map",
        lambda s: s.map(add_one),
        lambda xs: map(add_one, xs),
        lambda ops: [ops.map(add_one)],
        lambda pipe: [pipe.map(add_one)],
    ),
    Row("map, function in C", lambda s: s.map((1).__add__), lambda xs: map((1).__add__, xs)),
    Row(
        "filter",
        lambda s: s.filter(is_even),
        lambda xs: filter(is_even, xs),
        lambda ops: [ops.filter(is_even)],
        lambda pipe: [pipe.filter(is_even)],
    ),
    Row(
        "flat_map of pairs",
        lambda s: s.flat_map(twice),
        lambda xs: itertools.chain.from_iterable(map(twice, xs)),
        goal=None,
    ),
    Row(
        "map, starmap",
        lambda s: s.map(pair).starmap(add),
        lambda xs: itertools.starmap(add, map(pair, xs)),
        lambda ops: [ops.map(pair), ops.starmap(add)],
    ),
    Row("map_not_none", lambda s: s.map_not_none(half), not_none),
    Row(
        "scan",
        lambda s: s.scan(0, add),
        lambda xs: itertools.islice(itertools.accumulate(xs, add, initial=0), 1, None),
        lambda ops: [ops.scan(add, 0)],
        lambda pipe: [pipe.accumulate(add)],
    ),
    Row("stateful_map", lambda s: s.stateful_map(int, numbered), with_a_state),
    Row(
        "with_index",
        lambda s: s.with_index(),
        enumerate,
        lambda ops: [ops.map_indexed(lambda x, i: (i, x))],
        lambda pipe: [pipe.enumerate()],
    ),
    Row(
        "pairwise",
        lambda s: s.pairwise(),
        itertools.pairwise,
        lambda ops: [ops.pairwise()],
    ),
    Row("sliding(3)", lambda s: s.sliding(3), windows_of_three),
    Row(
        "batch(100)",
        lambda s: s.batch(100),
        batches_of_100,
        lambda ops: [ops.buffer_with_count(100)],
        lambda pipe: [pipe.chunks(100)],
    ),
    Row(
        "distinct",
        lambda s: s.distinct(),
        ever_seen,
        lambda ops: [ops.distinct()],
    ),
    Row(
        "distinct_until_changed",
        lambda s: s.distinct_until_changed(),
        justseen,
        lambda ops: [ops.distinct_until_changed()],
    ),
    Row(
        "take",
        lambda s: s.take(FAR),
        lambda xs: itertools.islice(xs, FAR),
        lambda ops: [ops.take(FAR)],
        lambda pipe: [pipe.take(FAR)],
    ),
    Row(
        "take_while",
        lambda s: s.take_while(below(FAR)),
        lambda xs: itertools.takewhile(below(FAR), xs),
        lambda ops: [ops.take_while(below(FAR))],
        lambda pipe: [pipe.takewhile(below(FAR))],
    ),
    Row(
        "skip",
        lambda s: s.skip(10),
        lambda xs: itertools.islice(xs, 10, None),
        lambda ops: [ops.skip(10)],
        lambda pipe: [pipe.skip(10)],
    ),
    Row(
        "skip_while",
        lambda s: s.skip_while(below(10)),
        lambda xs: itertools.dropwhile(below(10), xs),
        lambda ops: [ops.skip_while(below(10))],
        lambda pipe: [pipe.dropwhile(below(10))],
    ),
    Row(
        "reduce",
        lambda s: s.reduce(0, add),
        lambda xs: [reduce(add, xs, 0)],
        lambda ops: [ops.reduce(add, 0)],
        lambda pipe: [pipe.reduce(add)],
    ),
    Row("sum", lambda s: s.sum(), lambda xs: [sum(xs)], lambda ops: [ops.sum()]),
    Row("count", lambda s: s.count(), lambda xs: [sum(1 for _ in xs)], lambda ops: [ops.count()]),
    Row("max", lambda s: s.max(), lambda xs: [max(xs)], lambda ops: [ops.max()]),
    Row("last", lambda s: s.last(), last_of, lambda ops: [ops.last()]),
    Row(
        "all",
        lambda s: s.all(below(FAR)),
        lambda xs: [all(map(below(FAR), xs))],
        lambda ops: [ops.all(below(FAR))],
    ),
    Row("contains", lambda s: s.contains(-1), lambda xs: [-1 in iter(xs)]),
    Row(
        "start_with, end_with",
        lambda s: s.start_with(1).end_with(2),
        lambda xs: itertools.chain((1,), xs, (2,)),
        lambda ops: [ops.start_with(1)],
        goal=None,
    ),
]
