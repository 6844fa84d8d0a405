# mypy: disable-error-code="arg-type, return-value, var-annotated, union-attr"
"""Fused rows under little demand, and where an operator fails for no element or begins anew."""

import pytest

from actors_rs import ActorSystem, Sink, Source
from actors_rs.errors import StageError
from actors_rs.stages.failure import OnFailure
from actors_rs.stages.operators.filter import Filter
from actors_rs.stages.operators.fused import Fused, Part
from actors_rs.stages.operators.map import Map
from tests.graph.helpers import SECONDS
from tests.stages.harness import Alone


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


def test_an_operator_that_fails_before_it_takes_an_element_fails_its_row():
    class Hasty(Map):
        loop_step = None

        def collect(self, elements, out):
            raise ValueError("before the first element")

    logic = Fused([Part("hasty", "", Hasty(str)), Part("map", "", Map(str))])
    logic.on_failure = OnFailure("resume")
    alone = Alone(logic).request(5).push(1, 2)
    assert alone.down.error.__cause__.stage == "hasty"
    assert alone.up.cancelled


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


def searching(fits, called):
    def f(number):
        called.append(number)
        return number

    return Fused([Part("map", "", Map(f)), Part("filter", "", Filter(fits))])


@pytest.mark.parametrize("demand", [1, 2, 3])
def test_steps_are_called_for_no_more_elements_than_are_asked_for(demand):
    called = []
    alone = Alone(searching(lambda x: x % 10 == 9, called), window=1024)
    alone.request(demand).push(*range(100))
    assert alone.down.elements == [9, 19, 29][:demand]
    assert called == [*range(10 * demand)]
    alone.request(100).complete()
    assert called == [*range(100)]
    assert alone.down.completed


def test_a_search_with_little_demand_takes_ever_larger_pieces(monkeypatch):
    logic = searching(lambda x: x == 999, [])
    take, pieces = logic.inlet.take, []

    def noted(most):
        piece = take(most)
        pieces.append(len(piece))
        return piece

    monkeypatch.setattr(type(logic.inlet), "take", lambda _, most: noted(most))
    logic.pace.size = 4096
    alone = Alone(logic, window=1024).request(1).push(*range(1000))
    assert alone.down.elements == [999]
    assert sum(pieces) == 1000
    assert len(pieces) < 20


def test_a_fold_takes_whole_pieces_although_it_is_asked_for_one_element(shared):
    sizes = []

    class Noting(Map):
        loop_step = None

        def collect(self, elements, out):
            before = len(out)
            super().collect(elements, out)
            sizes.append(len(out) - before)

    flow = Source.range(0, 50_000).then("noting", lambda: Noting(abs), fusable=True).sum().fuse()
    assert shared.start(flow.to(Sink.first())).result(SECONDS) == sum(range(50_000))
    assert len(sizes) < 500
