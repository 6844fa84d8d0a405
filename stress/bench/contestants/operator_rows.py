"""The operators that ``stress.bench.operators`` measures, each with what one would write instead.

A row is an operator on integers, the same on a plain iterable with what Python has, and, where
they have it, the same for RxPY and aiostream: functions from the library's module of operators to
the ones to be applied in turn. Each new operator gets a row.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import reduce
from statistics import fmean
from typing import Any

from stress.bench.contestants.plain_python import (
    FAR,
    add,
    as_flows,
    as_streams,
    batches_of_100,
    batches_of_weight_100,
    below,
    ever_seen,
    half,
    is_negative,
    justseen,
    last_of,
    not_none,
    not_seen_lately,
    numbered,
    or_else,
    pair,
    sorted_within_10,
    twice,
    weight,
    windows_of_three,
    with_a_state,
)
from stress.bench.pipeline import add_one, is_even

__all__ = ["ROWS", "Row"]

Operators = Callable[[Any], list[Any]]


@dataclass(frozen=True)
class Row:
    """One operator; ``goal`` is the least ratio to plain Python at the system's window, if any."""

    name: str
    ours: Callable[[Any], Any]
    plain: Callable[[Iterable[int]], Iterable[Any]]
    rx: Operators | None = None
    aio: Operators | None = None
    goal: float | None = 0.6


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
        as_flows,
        as_streams,
        goal=None,
    ),
    Row(
        "map, starmap",
        lambda s: s.map(pair).starmap(add),
        lambda xs: itertools.starmap(add, map(pair, xs)),
        lambda ops: [ops.map(pair), ops.starmap(add)],
    ),
    Row(
        "with_index, starmap",
        lambda s: s.with_index().starmap(add),
        lambda xs: itertools.starmap(add, enumerate(xs)),
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
    Row(
        "sliding(3)",
        lambda s: s.sliding(3),
        windows_of_three,
        lambda ops: [ops.buffer_with_count(3, 1)],
    ),
    Row("sort_within(10)", lambda s: s.sort_within(10), sorted_within_10, goal=None),
    Row(
        "batch(100)",
        lambda s: s.batch(100),
        batches_of_100,
        lambda ops: [ops.buffer_with_count(100)],
        lambda pipe: [pipe.chunks(100)],
    ),
    Row(
        "batch by weight",
        lambda s: s.batch(weight=weight, max_weight=100),
        batches_of_weight_100,
        goal=None,
    ),
    Row(
        "distinct",
        lambda s: s.distinct(),
        ever_seen,
        lambda ops: [ops.distinct()],
    ),
    Row("distinct(window=100)", lambda s: s.distinct(window=100), not_seen_lately, goal=None),
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
    Row(
        "reduce_get",
        lambda s: s.reduce_get(int, add),
        lambda xs: [reduce(add, xs, 0)],
        lambda ops: [ops.reduce(add, 0)],
        lambda pipe: [pipe.reduce(add)],
    ),
    Row(
        "reduce_without_initial",
        lambda s: s.reduce_without_initial(add),
        lambda xs: [reduce(add, xs)],
        lambda ops: [ops.reduce(add)],
        lambda pipe: [pipe.reduce(add)],
    ),
    Row("sum", lambda s: s.sum(), lambda xs: [sum(xs)], lambda ops: [ops.sum()]),
    Row("count", lambda s: s.count(), lambda xs: [sum(1 for _ in xs)], lambda ops: [ops.count()]),
    Row("max", lambda s: s.max(), lambda xs: [max(xs)], lambda ops: [ops.max()]),
    Row("min", lambda s: s.min(), lambda xs: [min(xs)], lambda ops: [ops.min()]),
    Row(
        "average",
        lambda s: s.average(),
        lambda xs: [fmean(xs)],
        lambda ops: [ops.average()],
    ),
    Row(
        "end_with, first of many",
        lambda s: s.end_with(-1).first(is_negative),
        lambda xs: [next(filter(is_negative, itertools.chain(xs, (-1,))))],
        lambda ops: [ops.first_or_default(is_negative, -1)],
    ),
    Row("last", lambda s: s.last(), last_of, lambda ops: [ops.last()]),
    Row(
        "all",
        lambda s: s.all(below(FAR)),
        lambda xs: [all(map(below(FAR), xs))],
        lambda ops: [ops.all(below(FAR))],
    ),
    Row(
        "some",
        lambda s: s.some(is_negative),
        lambda xs: [any(map(is_negative, xs))],
        lambda ops: [ops.some(is_negative)],
    ),
    Row(
        "filter, is_empty",
        lambda s: s.filter(is_negative).is_empty(),
        lambda xs: [not any(True for _ in filter(is_negative, xs))],
        lambda ops: [ops.filter(is_negative), ops.is_empty()],
    ),
    Row(
        "contains",
        lambda s: s.contains(-1),
        lambda xs: [-1 in iter(xs)],
        lambda ops: [ops.contains(-1)],
    ),
    Row(
        "default_if_empty",
        lambda s: s.default_if_empty(-1),
        or_else,
        lambda ops: [ops.default_if_empty(-1)],
    ),
    Row(
        "start_with, end_with",
        lambda s: s.start_with(1).end_with(2),
        lambda xs: itertools.chain((1,), xs, (2,)),
        lambda ops: [ops.start_with(1)],
    ),
]
