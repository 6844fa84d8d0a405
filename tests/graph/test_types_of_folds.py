"""What type checkers know of folds. mypy and pyright both read this file.

A tuple of literals, ``None`` and an empty list are where checkers differ.
"""

# pyright: reportUnnecessaryTypeIgnoreComment=true

from dataclasses import dataclass
from typing import NamedTuple, Never, assert_type

from actors_rs import Flow, Graph, Group, Sink, Source


@dataclass
class Order:
    customer: str
    cents: int


class Totals(NamedTuple):
    orders: int
    cents: int


orders = Source.of(Order("Ada", 3), Order("Bo", 5), Order("Ada", 4))


def add(totals: tuple[int, int], order: Order) -> tuple[int, int]:
    return totals[0] + 1, totals[1] + order.cents


def dearer(best: Order | None, order: Order) -> Order | None:
    return order if best is None or order.cents > best.cents else best


def totals_of(group: Group[str, Order]) -> Flow[Never, tuple[str, int, int]]:
    return group.reduce(
        (group.key, 0, 0), lambda now, order: (now[0], now[1] + 1, now[2] + order.cents)
    )


def test_a_tuple_is_a_place_to_begin_from():
    totals = orders.group_by(lambda order: order.customer, max_groups=9).flat_map(
        totals_of, breadth=9
    )
    assert_type(totals, Flow[Never, tuple[str, int, int]])
    assert sorted(totals.run(Sink.list())) == [("Ada", 2, 7), ("Bo", 1, 5)]
    both = orders.reduce((0, 0), lambda now, order: (now[0] + 1, now[1] + order.cents))
    assert_type(both, Flow[Never, tuple[int, int]])
    assert_type(orders.reduce((0, 0), add), Flow[Never, tuple[int, int]])
    steps = orders.scan((0, ""), lambda now, order: (now[0] + 1, order.customer))
    assert_type(steps, Flow[Never, tuple[int, str]])
    folded = orders.run(Sink.fold((0, 0), lambda now, order: (now[0] + 1, order.cents)))
    assert_type(folded, tuple[int, int])
    assert folded == (3, 4)
    assert_type(orders.run(Sink.fold((0, 0), add)), tuple[int, int])


def test_a_named_tuple_stays_one():
    totals = orders.reduce(
        Totals(0, 0), lambda now, order: Totals(now.orders + 1, now.cents + order.cents)
    )
    assert_type(totals, Flow[Never, Totals])
    assert totals.run(Sink.first()).cents == 12


def test_nothing_is_a_place_to_begin_from():
    assert_type(orders.reduce(None, dearer), Flow[Never, Order | None])
    newest = orders.reduce(None, lambda _, order: order)
    assert_type(newest, Flow[Never, Order | None])
    assert newest.run(Sink.first()) == Order("Ada", 4)
    assert_type(orders.run(Sink.fold(None, dearer)), Order | None)


def test_numbers_and_collections_as_ever():
    assert_type(orders.reduce(0, lambda sum, order: sum + order.cents), Flow[Never, int])
    assert_type(orders.reduce(list[int](), lambda all, o: [*all, o.cents]), Flow[Never, list[int]])
    assert_type(orders.run(Sink.fold(0, lambda sum, order: sum + order.cents)), int)


def test_a_state_may_be_a_tuple():
    fibonacci = Source.unfold((0, 1), lambda now: (now[0], (now[1], now[0] + now[1])))
    assert_type(fibonacci, Flow[Never, int])
    assert fibonacci.take(6).run(Sink.list()) == [0, 1, 1, 2, 3, 5]


def test_a_fold_that_gives_another_type_is_refused():
    orders.reduce(0, lambda sum, order: order.customer)  # type: ignore[arg-type, return-value]
    orders.reduce((0, 0), lambda sum, order: (0, ""))  # type: ignore[arg-type, return-value]


def test_sinks_side_by_side():
    both = orders.run(Sink.fan(Sink.list(), Sink.count()))
    assert_type(both, tuple[list[Order], int])
    assert both[1] == 3
    assert_type(Graph(orders.to(Sink.count())), Graph[int])
