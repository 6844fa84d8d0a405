# mypy: disable-error-code="arg-type, misc, return-value, union-attr, var-annotated"
"""``fuse()``: several stages as one actor, with the results and errors of several."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from actors_rs import ActorSystem, Flow, Graph, Sink, Source
from actors_rs.errors import EmptyStreamError, GraphError, StageError
from tests.graph.helpers import SECONDS, islands
from tests.graph.models import check_operator, quick, trials


def add(a, x):
    return a + x


def as_list(model):
    """A model of ``(elements, whether upstream completed)`` from one of elements."""
    return lambda xs, ok, k: (model(xs, k), ok)


def at_the_end(model):
    return lambda xs, ok, k: (model(xs, k) if ok else xs, ok)


def folded(model):
    return lambda xs, ok, k: ([model(xs, k)] if ok else [], ok)


def found(xs, ok, answer, otherwise):
    return ([answer], True) if answer is not None else ([otherwise] if ok else [], ok)


def sort_within(xs, ok, k):
    held, given = [], []
    for x in xs:
        held = sorted([*held, x])
        if len(held) > k + 1:
            given.append(held.pop(0))
    return given + held, ok


# Each entry: an operator on numbers; and (elements, whether they are all) -> the same behind it.
OPERATORS = {
    "map": (lambda s, k: s.map(lambda x: x + k), as_list(lambda xs, k: [x + k for x in xs])),
    "filter": (
        lambda s, k: s.filter(lambda x: x % 2),
        as_list(lambda xs, k: [x for x in xs if x % 2]),
    ),
    "scan": (
        lambda s, k: s.scan(k, add),
        as_list(lambda xs, k: list(itertools.accumulate(xs, add, initial=k))[1:]),
    ),
    "skip": (lambda s, k: s.skip(k), as_list(lambda xs, k: xs[k:])),
    "take": (lambda s, k: s.take(k), lambda xs, ok, k: (xs[:k], ok or len(xs) >= k)),
    "take_while": (
        lambda s, k: s.take_while(lambda x: x != k),
        lambda xs, ok, k: (list(itertools.takewhile(lambda x: x != k, xs)), ok or k in xs),
    ),
    "skip_while": (
        lambda s, k: s.skip_while(lambda x: x != k),
        as_list(lambda xs, k: list(itertools.dropwhile(lambda x: x != k, xs))),
    ),
    "distinct": (lambda s, k: s.distinct(), as_list(lambda xs, k: list(dict.fromkeys(xs)))),
    "batch": (
        lambda s, k: s.batch(k + 1).map(sum),
        as_list(lambda xs, k: [sum(xs[at : at + k + 1]) for at in range(0, len(xs), k + 1)]),
    ),
    "pairwise": (
        lambda s, k: s.pairwise().starmap(add),
        as_list(lambda xs, k: [a + b for a, b in itertools.pairwise(xs)]),
    ),
    "start_with": (lambda s, k: s.start_with(k, 1), lambda xs, ok, k: ([k, 1, *xs], ok)),
    "end_with": (lambda s, k: s.end_with(k, 2), at_the_end(lambda xs, k: [*xs, k, 2])),
    "default_if_empty": (lambda s, k: s.default_if_empty(k), at_the_end(lambda xs, k: xs or [k])),
    "sort_within": (lambda s, k: s.sort_within(k + 1), sort_within),
    "stateful_map": (
        lambda s, k: s.stateful_map(lambda: k, lambda n, x: (n + 1, x + n), lambda n: n),
        lambda xs, ok, k: ([x + i for i, x in enumerate(xs, k)] + [k + len(xs)] * ok, ok),
    ),
    "sum": (lambda s, k: s.sum(), folded(lambda xs, k: sum(xs))),
    "count": (lambda s, k: s.count(), folded(lambda xs, k: len(xs))),
    "first": (
        lambda s, k: s.end_with(k).first(lambda x: x == k),
        lambda xs, ok, k: found(xs, ok, k if k in xs else None, k),
    ),
    "some": (
        lambda s, k: s.some(lambda x: x == k).map(int),
        lambda xs, ok, k: found(xs, ok, 1 if k in xs else None, 0),
    ),
}
chains = st.lists(
    st.tuples(st.sampled_from(sorted(OPERATORS)), st.integers(0, 5)), min_size=2, max_size=5
)


def apply(flow, chain):
    for name, k in chain:
        flow = OPERATORS[name][0](flow, k)
    return flow


def model_of(xs, ok, chain):
    for name, k in chain:
        xs, ok = OPERATORS[name][1](xs, ok, k)
    return xs, ok


@settings(quick, max_examples=80)
@given(chain=chains, trial=trials())
def test_fused_operators_give_what_they_give_alone(shared, chain, trial):
    check_operator(
        shared,
        lambda s: apply(s, chain).fuse(),
        lambda xs: model_of(xs, True, chain)[0],
        trial,
        failed=lambda xs: model_of(xs, False, chain)[0],
        enough=lambda xs: model_of(xs, False, chain)[1],
    )


def test_the_stages_of_a_flow_become_one_actor_and_others_stay():
    flow = (
        Source.range(0, 3)
        .map(str)
        .filter(len)
        .flat_map(list)
        .map(str)
        .map(int)
        .scan(0, add)
        .map(str)
    )
    assert islands(flow.fuse().map(str).to(Sink.ignore())) == [
        "range + map + filter + flat_map + map-2 + map-3 + scan + map-4", "map-5", "ignore"
    ]  # fmt: skip


def test_a_boundary_and_a_dispatcher_of_its_own_keep_a_stage_apart():
    flow = Source.range(0, 3).map(str).map(str).async_boundary().map(str).map(str)
    apart = ["range + map + map-2", "map-3 + map-4", "ignore"]
    assert islands(flow.fuse().to(Sink.ignore())) == apart
    flow = Source.range(0, 3).map(str).map(str).with_attributes(dispatcher="pinned").map(str)
    assert islands(flow.fuse().to(Sink.ignore())) == ["range + map", "map-2", "map-3", "ignore"]


def test_stages_before_a_junction_are_fused_where_the_flow_owns_them(shared):
    one, two = Source.range(0, 10).map(str).map(int).broadcast(2)
    merged = one.map(str).map(int).merge(two.map(str).map(int)).sum().map(str).fuse()
    assert shared.start(merged.to(Sink.list())).result(SECONDS) == ["90"]
    a, b = Source.range(0, 10).map(str).map(int).broadcast(2)
    graph = Graph(a.map(str).map(int).fuse().to(Sink.sum()), b.map(str).map(int).to(Sink.sum()))
    assert shared.start(graph).result(SECONDS) == (45, 45)


def test_a_fused_flow_is_a_piece_to_use_again(shared):
    piece = Flow().map(lambda x: x + 1).scan(0, add).fuse()
    graphs = [Source.range(0, 3).via(piece).via(piece).to(Sink.list()) for _ in range(2)]
    assert [shared.start(graph).result(SECONDS) for graph in graphs] == [[2, 6, 13]] * 2


def test_an_error_names_the_inner_stage_its_element_and_its_line(shared):
    seen = []
    flow = Source.range(0, 100).filter(lambda x: x % 2).map(lambda x: 1 // (x - 9)).named("divide")
    run = shared.start(flow.map(str).fuse().to(Sink.for_each(seen.append)))
    with pytest.raises(StageError) as caught:
        run.result(SECONDS)
    error = caught.value
    assert (error.stage, error.position) == ("divide", 4)
    assert isinstance(error.__cause__, ZeroDivisionError)
    assert "test_fuse.py:" in error.site
    assert seen == ["-1"] * 4


def test_a_policy_holds_for_the_elements_of_inner_stages(shared):
    flow = Source.range(0, 5).map(lambda x: x - 1).map(lambda x: 4 // x).fuse()
    got = shared.start(flow.on_failure("resume").to(Sink.list())).result(SECONDS)
    assert got == [-4, 4, 2, 1]
    decided = []

    def decide(error, element):
        decided.append((type(error), element))
        return "restart"

    got = shared.start(flow.on_failure(decider=decide).to(Sink.list())).result(SECONDS)
    assert decided == [(ZeroDivisionError, 0)]
    assert got == [-4, 4, 2, 1]


def test_what_a_fold_needs_is_said_behind_a_fuse_too(shared):
    flow = Source.range(0, 3).filter(lambda x: x > 5).max().fuse()
    with pytest.raises(EmptyStreamError, match="max needs an element"):
        shared.start(flow.to(Sink.list())).result(SECONDS)


def test_two_operators_that_have_had_enough_give_their_results_in_order(shared):
    flow = (
        Source.range(0, 10**12).take(3).start_with(7).end_with(8).reduce([], lambda a, x: [*a, x])
    )
    assert shared.start(flow.end_with(9).take(2).fuse().to(Sink.list())).result(SECONDS) == [
        [7, 0, 1, 2, 8],
        9,
    ]


def test_an_empty_flow_cannot_be_fused():
    with pytest.raises(GraphError, match=r"fuse: an empty Flow\(\) has no stage to fuse"):
        Flow().fuse()
    with pytest.raises(GraphError, match="async_boundary"):
        Flow().async_boundary()


def test_what_waits_for_an_operator_that_has_had_enough_is_dropped(shared):
    flow = Source.range(0, 9).start_with(7, 8).first().fuse()
    sink = Sink.list().with_attributes(window=1)
    assert shared.start(flow.to(sink)).result(SECONDS) == [7]


@pytest.mark.parametrize("maps", range(1, 8))
@pytest.mark.parametrize("bad", range(7))
def test_of_maps_that_are_handled_at_once_the_failing_one_is_named(shared, maps, bad):
    def step(number, x):
        if number == bad and x == 5 + number:
            raise KeyError(x)
        return x + 1

    flow = Source.range(0, 9)
    for number in range(maps):
        flow = flow.map(lambda x, number=number: step(number, x)).named(f"map {number}")
    seen = []
    run = shared.start(flow.map(str).fuse().to(Sink.for_each(seen.append)))
    if bad >= maps:
        assert run.result(SECONDS) == 9
    else:
        with pytest.raises(StageError) as caught:
            run.result(SECONDS)
        assert (caught.value.stage, caught.value.position) == (f"map {bad}", 5)
    assert seen == [str(n + maps) for n in range(9 if bad >= maps else 5)]


def test_an_element_that_is_passed_over_is_counted_by_those_that_saw_it(shared):
    def no(bad):
        return lambda x: 1 // (x - bad) * 0 + x

    flow = Source.range(0, 9).map(no(3)).map(no(5)).map(no(7)).map(no(20)).fuse()
    run = shared.start(flow.on_failure("resume").to(Sink.list()))
    assert run.result(SECONDS) == [0, 1, 2, 4, 6, 8]
    stages = [stage for stage in run.snapshot().stages if stage.kind == "map"]
    assert [(stage.elements_in, stage.resumed) for stage in stages] == [
        (9, 1), (8, 1), (7, 1), (6, 0)
    ]  # fmt: skip


@pytest.mark.parametrize("after", [False, True])
def test_steps_behind_a_filter_know_the_number_of_their_element(shared, after):
    flow = Source.range(0, 40).map(lambda x: x + 1).filter(lambda x: x % 3 == 0)
    divided = flow.map(lambda x: x / (x - 30)).named("divide")
    whole = divided.filter(bool).map(str).fuse() if after else divided.fuse()
    with pytest.raises(StageError) as caught:
        shared.start(whole.to(Sink.ignore())).result(SECONDS)
    assert (caught.value.stage, caught.value.position) == ("divide", 9)


def test_what_starmap_cannot_spread_is_said_in_a_fused_row_too(shared):
    flow = Source.of(1, 2).map(lambda x: (x, x) if x < 2 else x).starmap(add).fuse()
    with pytest.raises(StageError, match="expected a tuple of arguments, got 2") as caught:
        shared.start(flow.to(Sink.ignore())).result(SECONDS)
    assert (caught.value.stage, caught.value.position) == ("starmap", 1)


@pytest.mark.parametrize("policy", ["resume", "restart"])
@pytest.mark.parametrize("beside", ["map", "skip"])
def test_elements_that_are_passed_over_name_their_operator_and_their_number(policy, beside):
    def whole(flow):
        return flow.map(int) if beside == "map" else flow.skip(0)

    flow = whole(whole(Source.range(0, 20)).map(lambda x: 1 // (x % 4 - 3) * x)).fuse()
    with ActorSystem() as system:
        system.start(flow.on_failure(policy).to(Sink.ignore())).result(SECONDS)
        failed = [(letter.what, letter.error) for letter in system.dead_letters.recent()]
    told = [(what, error.stage, error.position) for what, error in failed]
    name = "map-2" if beside == "map" else "map"
    assert told == [(x, name, x) for x in range(3, 20, 4)]
