# mypy: disable-error-code="arg-type, operator, var-annotated"
"""Streams of streams against a list, under random windows, demand and failures."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors_rs import Flow, Sink, Source, amb, concat
from actors_rs.errors import StageError
from tests.graph.helpers import SECONDS, Book
from tests.graph.models import check_function, check_operator, numbers, quick, trials


def times(x):
    return [x] * (x % 4)


KINDS = {
    "list": times,
    "generator": lambda x: (y for y in times(x)),
    "at hand": lambda x: Source.of(*times(x)),
    "within": lambda x: Source.from_iterable(lambda: iter(times(x))),
    "actors": lambda x: Source.of(*times(x)).map(int),
    "mixed": lambda x: times(x) if x % 3 else Source.repeat(x, x % 4).filter(lambda _: True),
}
"""Functions that give the elements of ``times(x)``, each in its own way."""
kinds = st.sampled_from(sorted(KINDS))


def flattened(xs):
    return [y for x in xs for y in times(x)]


@quick
@given(trial=trials(), kind=kinds, name=st.sampled_from(["flat_map", "concat_map"]))
def test_flat_map_gives_the_elements_of_each_iterable_or_stream_in_order(shared, trial, kind, name):
    check_operator(shared, lambda s: getattr(s, name)(KINDS[kind]), flattened, trial)


@quick
@given(trial=trials(), kind=kinds, breadth=st.sampled_from([2, 3, 100]))
def test_flat_map_with_a_breadth_gives_all_elements_of_all_streams(shared, trial, kind, breadth):
    check_operator(
        shared,
        lambda s: s.flat_map(KINDS[kind], breadth=breadth),
        flattened,
        trial,
        view=sorted,
    )


@quick
@given(trial=trials(), breadth=st.integers(1, 5))
def test_each_inner_stream_keeps_its_own_order(shared, trial, breadth):
    size = 7

    def inner(pair):
        return Source.range(0, size).map(lambda i: (pair, i))

    source = Source.of(*enumerate(trial.xs)).flat_map(inner, breadth=breadth)
    source = source.with_attributes(window=trial.window)
    got = shared.start(source.to(Sink.list().with_attributes(window=trial.last))).result(SECONDS)
    assert len(got) == size * len(trial.xs)
    for pair in enumerate(trial.xs):
        assert [i for one, i in got if one == pair] == list(range(size))


@quick
@given(trial=trials(), kind=kinds)
def test_all_before_an_element_that_makes_f_raise_is_delivered(shared, trial, kind):
    check_function(
        shared,
        lambda s, touch: s.flat_map(lambda x: KINDS[kind](touch(x))),
        flattened,
        trial,
    )


@quick
@given(trial=trials())
def test_what_is_in_hand_is_delivered_before_f_fails_also_with_a_breadth(shared, trial):
    check_function(
        shared, lambda s, touch: s.flat_map(lambda x: Source.of(touch(x)), breadth=4), list, trial
    )


@quick
@given(
    outer=st.integers(1, 6),
    inner=st.integers(0, 6),
    bad=st.tuples(st.integers(0, 5), st.integers(0, 5)),
    kind=st.sampled_from(["within", "actors"]),
)
def test_an_inner_stream_fails_behind_all_its_elements_and_those_before(
    shared, outer, inner, bad, kind
):
    def elements(x):
        for i in range(inner):
            if (x, i) == bad:
                raise KeyError(bad)
            yield x, i

    def stream(x):
        source = Source.from_iterable(lambda: elements(x)).named("suspect")
        return source if kind == "within" else source.map(lambda e: e)

    seen = []
    run = shared.start(Source.range(0, outer).flat_map(stream).to(Sink.for_each(seen.append)))
    expected = list(itertools.product(range(outer), range(inner)))
    if bad not in expected:
        assert run.result(SECONDS) == len(expected)
    else:
        expected = expected[: expected.index(bad)]
        with pytest.raises(StageError) as caught:
            run.result(SECONDS)
        assert caught.value.stage.startswith("suspect#")
        assert caught.value.position == bad[1]
    assert seen == expected


@quick
@given(trial=trials())
def test_switch_map_gives_the_stream_of_the_newest_element_to_its_end(shared, trial):
    source = Source.from_iterable(trial.xs).switch_map(lambda x: Source.of(x, x).map(int))
    source = source.with_attributes(window=trial.window)
    got = shared.start(source.to(Sink.list().with_attributes(window=trial.last))).result(SECONDS)
    assert got[-2:] == [x for x in trial.xs[-1:] for _ in range(2)]
    later = iter(trial.xs)
    runs = [x for x, _ in itertools.groupby(got)]
    assert all(x in later for x in runs), "in the order of the elements, each at most once"


@quick
@given(trial=trials(), others=st.lists(numbers, max_size=3))
def test_append_gives_the_streams_one_after_the_other(shared, trial, others):
    behind = list(itertools.chain(*others))
    check_operator(
        shared,
        lambda s: s.append(*map(Source.from_iterable, others)),
        lambda xs: xs + behind,
        trial,
        failed=list,
    )


def test_concat_is_append_under_the_name_of_the_function():
    first, second = Source.range(0, 2), Source.of(7)
    assert first.concat(second, second).run(Sink.list()) == [0, 1, 7, 7]
    assert concat(first, second, second).run(Sink.list()) == [0, 1, 7, 7]


@quick
@given(trial=trials(), others=st.lists(numbers, max_size=3))
def test_prepend_gives_the_other_streams_first(shared, trial, others):
    before = list(itertools.chain(*others))
    check_operator(
        shared,
        lambda s: s.prepend(*(Source.from_iterable(xs).map(int) for xs in others)),
        lambda xs: before + xs,
        trial,
    )


@quick
@given(parts=st.lists(numbers, max_size=4), window=st.integers(1, 20), actors=st.booleans())
def test_concat_gives_all_of_each_stream_in_turn(shared, parts, window, actors):
    streams = [Source.from_iterable(xs) for xs in parts]
    if actors:
        streams = [stream.map(int) for stream in streams]
    graph = concat(*streams).with_attributes(window=window).to(Sink.list())
    for _ in range(2):
        assert shared.start(graph).result(SECONDS) == list(itertools.chain(*parts))


@quick
@given(trial=trials(), other=numbers)
def test_if_empty_gives_the_other_stream_only_without_an_element(shared, trial, other):
    check_operator(
        shared,
        lambda s: s.if_empty(Source.from_iterable(other)),
        lambda xs: xs or other,
        trial,
        failed=list,
    )


@quick
@given(trial=trials(), kind=st.sampled_from(["empty", "of", "list", "actors"]))
def test_catch_goes_on_with_another_stream_behind_a_failure(shared, trial, kind):
    instead = {
        "empty": lambda _: Source.empty(),
        "of": lambda _: Source.of(1, 2),
        "list": lambda _: [1, 2],
        "actors": lambda _: Source.of(1, 2).map(int),
    }[kind]
    behind = [] if kind == "empty" else [1, 2]
    bad = trial.fails_behind

    def source():
        yield from trial.xs[:bad]
        raise KeyError(bad)

    flow = Source.from_iterable(source).catch(instead).with_attributes(window=trial.window)
    graph = flow.to(Sink.list().with_attributes(window=trial.last))
    for _ in range(2):
        assert shared.start(graph).result(SECONDS) == trial.xs[:bad] + behind


@quick
@given(trial=trials())
def test_catch_passes_on_a_stream_that_does_not_fail(shared, trial):
    flow = Source.from_iterable(trial.xs).catch(lambda _: Source.of("never")).named("c")
    graph = flow.with_attributes(window=trial.window).to(Sink.list())
    assert shared.start(graph).result(SECONDS) == trial.xs


@quick
@given(trial=trials(), place=st.integers(0, 2))
def test_amb_gives_all_of_the_one_stream_that_signals(shared, trial, place):
    streams = [Source.never(), Source.never().map(int)]
    streams.insert(place, Source.from_iterable(lambda: iter(trial.xs)))
    graph = amb(*streams).with_attributes(window=trial.window).to(Sink.list())
    assert shared.start(graph).result(SECONDS) == trial.xs


@quick
@given(trial=trials())
def test_amb_as_a_method_can_win_or_lose(shared, trial):
    xs = Source.from_iterable(lambda: iter(trial.xs))
    for flow in (xs.amb(Source.never()), Source.never().amb(xs), xs.amb(xs)):
        graph = flow.with_attributes(window=trial.window).to(Sink.list())
        assert shared.start(graph).result(SECONDS) == trial.xs


@pytest.mark.parametrize("policy", ["resume", "restart"])
@pytest.mark.parametrize("breadth", [None, 3])
def test_a_stage_that_goes_on_skips_the_elements_for_which_f_raised(shared, policy, breadth):
    def f(x):
        if x % 3 == 1:
            raise KeyError(x)
        return [x, x] if x % 3 == 0 else Source.of(x).map(int)

    flow = Source.range(0, 9).flat_map(f, breadth).on_failure(policy)
    got = shared.start(flow.to(Sink.list())).result(SECONDS)
    expected = [0, 0, 2, 3, 3, 5, 6, 6, 8]
    assert got == expected if breadth is None else sorted(got) == expected


@pytest.mark.parametrize("policy", ["resume", "restart"])
@pytest.mark.parametrize("name", ["flat_map", "concat_map"])
def test_a_stage_that_goes_on_skips_the_elements_whose_streams_cannot_begin(shared, policy, name):
    def f(x):
        return Source.of(x).map(int) if x % 4 == 3 else Flow().map(str)  # which is no source

    flow = getattr(Source.range(0, 9), name)(f).on_failure(policy)
    assert shared.start(flow.to(Sink.list())).result(SECONDS) == [3, 7]


def test_switch_map_counts_the_elements_it_passed_over(shared):
    going = shared.start(Source.range(0, 50).switch_map(lambda x: [x]).to(Sink.list()))
    got = going.result(SECONDS)
    [stage] = [one for one in going.snapshot().stages if one.kind == "switch_map"]
    assert len(got) <= 50 - stage.details["passed_over"] == stage.details["started"]


def test_switch_map_and_group_by_go_on_behind_an_element_that_fails(shared):
    def f(x):
        return [x // (x - 4)] * 2

    flow = Source.range(0, 5).append(Source.of(6).map(int)).switch_map(f).on_failure("resume")
    assert shared.start(flow.to(Sink.list())).result(SECONDS)[-2:] == [3, 3]
    groups = Source.range(0, 9).group_by(lambda x: 1 // (x % 3), 3).on_failure("resume")
    flow = groups.flat_map(lambda g: g, breadth=3)
    assert sorted(shared.start(flow.to(Sink.list())).result(SECONDS)) == [1, 2, 4, 5, 7, 8]


@pytest.mark.parametrize("breadth", [None, 2])
def test_the_end_needs_no_demand_beyond_the_last_element(shared, breadth):
    book = Book(first=4)
    flow = Source.of(1, 2).flat_map(lambda x: Source.of(x, x).map(int), breadth)
    shared.publisher(flow).subscribe(book)
    assert book.wait() == "complete"
    assert sorted(book.elements) == [1, 1, 2, 2]


def test_a_failure_of_an_inner_stream_needs_no_demand(shared):
    book = Book(first=1)
    flow = Source.of(1, 0).flat_map(lambda x: Source.of(x).map(lambda x: 1 // x), breadth=2)
    shared.publisher(flow).subscribe(book)
    assert isinstance(book.wait().__cause__, ZeroDivisionError)
