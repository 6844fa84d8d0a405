# mypy: disable-error-code="arg-type, return-value, var-annotated, union-attr"
"""Fused rows under little demand, and where an operator fails for no element or begins anew."""

import pytest

from actors_rs import ActorSystem, Sink, Source
from actors_rs.errors import StageError
from actors_rs.stages.chunks.chunk import CALLS
from actors_rs.stages.operators.map import Map
from tests.graph.helpers import SECONDS


def boom(*_):
    raise ValueError("boom")


def fuse_flow(flow, sink):
    return flow.fuse().to(sink)


def fuse_graph(flow, sink):
    return flow.to(sink).fuse()


def keep_apart(flow, sink):
    return flow.to(sink)


WAYS = [keep_apart, fuse_flow, fuse_graph]
ways = pytest.mark.parametrize("way", WAYS)


@pytest.fixture(scope="module")
def shared():
    with ActorSystem(workers=2, shutdown_timeout=SECONDS) as system:
        yield system


@ways
def test_a_key_that_fails_for_the_first_row_is_passed_over(way, shared):
    rows = [{"price": "n/a"}, {"price": "3"}, {"price": "5"}]
    flow = Source.from_iterable(rows).max(key=lambda row: float(row["price"]))
    if way is not keep_apart:
        flow = flow.map(dict).fuse()
    graph = way(flow.on_failure("resume"), Sink.list())
    assert shared.start(graph).result(SECONDS) == [{"price": "5"}]


@ways
def test_first_draws_one_element_of_whoever_is_before_it(way, shared):
    drawn = []

    def numbers():
        for number in range(5000):
            drawn.append(number)
            if number == 100:
                raise OSError("far behind the first")
            yield number

    graph = way(Source.from_iterable(numbers).first().map(str), Sink.list())
    assert shared.start(graph).result(SECONDS) == ["0"]
    assert drawn == [0]


@ways
def test_no_predicate_is_called_behind_the_element_that_first_needs(way, shared):
    def fits(number):
        assert number < 50
        return number == 49

    graph = way(Source.range(0, 1000).filter(fits).first().map(str), Sink.list())
    assert shared.start(graph).result(SECONDS) == ["49"]


def held_back_in_order():
    return Source.range(0, 10).stateful_map(lambda: 0, lambda s, x: (s, x), on_complete=boom)


FAILING_FOR_NO_ELEMENT = {
    "at its end": (lambda: held_back_in_order().sort_within(5), [*range(10)], "boom"),
    "at its end, behind a beginning": (
        lambda: Source.of("a").filter(lambda _: False).last().start_with(3, 1, 2).sort_within(5),
        [1, 2, 3],
        "last needs an element",
    ),
    "at its begin": (
        lambda: Source.range(0, 10).stateful_map(boom, lambda s, x: (s, x)).start_with(1, 2),
        [1, 2],
        "boom",
    ),
}


@ways
@pytest.mark.parametrize("where", FAILING_FOR_NO_ELEMENT)
def test_what_operators_hold_behind_one_that_fails_for_no_element_comes_first(way, where, shared):
    flow, elements, told = FAILING_FOR_NO_ELEMENT[where]
    seen = []
    with pytest.raises(Exception, match=told):
        shared.start(way(flow().map(seen.append), Sink.ignore())).result(SECONDS)
    assert seen == elements


@ways
@pytest.mark.parametrize("count", [5, 50])
def test_a_restart_does_not_forget_that_an_operator_had_enough(way, count, shared):
    def bad(number):
        if number == count - 2:
            raise ValueError
        return number

    flow = Source.range(0, 100).take(count)
    if way is keep_apart:
        graph = flow.map(bad).on_failure("restart").to(Sink.list())
    else:
        graph = way(flow.map(bad).fuse().on_failure("restart"), Sink.list())
    assert shared.start(graph).result(SECONDS) == [*range(count - 2), count - 1]


@ways
@pytest.mark.parametrize("behind", [False, True])
def test_what_came_before_a_restart_that_fails_is_given_or_a_dead_letter(way, behind):
    created, seen = [], []

    def create():
        created.append(1)
        if len(created) > 1:
            raise OSError("cannot reopen")

    def f(state, number):
        if number == 200:
            raise ValueError
        return state, number

    flow = Source.range(0, 300).stateful_map(create, f)
    if way is not keep_apart:
        flow = (flow.map(int) if behind else flow.skip(0)).fuse()
    flow = flow.on_failure("restart")
    with ActorSystem() as system:
        run = system.start(way(flow.map(int), Sink.for_each(seen.append)))
        with pytest.raises(StageError, match="cannot reopen"):
            run.result(SECONDS)
        lost = [letter.what for letter in system.dead_letters.recent()]
    assert {*seen, *lost} >= {*range(201)}


def test_a_fold_takes_whole_chunks_although_it_is_asked_for_one_element(shared):
    sizes = []

    class Noting(Map):
        def collect(self, elements, out):
            before = len(out)
            super().collect(elements, out)
            sizes.append(len(out) - before)

    flow = Source.range(0, 50_000).then("noting", lambda: Noting(abs)).sum().fuse()
    assert shared.start(flow.to(Sink.first())).result(SECONDS) == sum(range(50_000))
    assert len(sizes) < 1.1 * 50_000 / CALLS
