# mypy: disable-error-code="arg-type, func-returns-value, var-annotated, union-attr"
"""Inner streams that run inline: which, and that nobody can tell."""

import threading

import pytest

from actors_rs import ActorSystem, Sink, Source
from actors_rs.errors import StageError
from actors_rs.stages.chunks.chunk import CALLS
from tests.graph.helpers import SECONDS, Book, wait_until
from tests.graph.models import Upstream


@pytest.fixture(scope="module")
def system():
    with ActorSystem(workers=2, shutdown_timeout=SECONDS) as system:
        yield system


def inverse(x):
    return 1 // x


INLINE = {
    "a generator": lambda x: Source.from_iterable(y for y in (x, x)),
    "repeat": lambda x: Source.repeat(x, 2),
    "endless": lambda x: Source.repeat(x).take(2),
    "one function": lambda x: Source.of(x, x).map(lambda y: y),
    "take_while": lambda x: Source.of(x, x, -1, x).take_while(lambda y: y >= 0),
    "starmap": lambda x: Source.of((x, 0), (x, 0)).starmap(lambda y, z: y + z),
    "no more than one": lambda x: Source.repeat(x).map(lambda y: y).take(2),
    "with_index": lambda x: Source.of(x, x).with_index().map(lambda pair: pair[1]),
    "fused": lambda x: Source.of(x, x, x).map(int).take(2).fuse(),
}
ALSO_MERGED = ("repeat", "endless", "fused")


def names_seen(system, streams, breadth):
    """The results of ``streams``, and the names of all actors that ran during the run."""
    names = set()

    def look(x):
        names.update(map(str, system.children()))
        return x

    flow = Source.range(0, 40).flat_map(streams, breadth).map(look)
    return system.start(flow.to(Sink.list())).result(SECONDS), names


@pytest.mark.parametrize("stream", INLINE.values(), ids=INLINE.keys())
def test_a_stream_that_runs_inline_needs_no_actor_of_its_own(system, stream):
    got, names = names_seen(system, stream, None)
    assert got == [x for x in range(40) for _ in range(2)]
    assert not any("#" in name for name in names)


@pytest.mark.parametrize("kind", ALSO_MERGED)
def test_it_needs_none_either_beside_others_if_it_cannot_wait_or_the_user_fused_it(system, kind):
    got, names = names_seen(system, INLINE[kind], 3)
    assert sorted(got) == [x for x in range(40) for _ in range(2)]
    assert not any("#" in name for name in names)


def test_streams_that_run_code_of_the_users_run_at_the_same_time_when_they_are_merged(system):
    together = threading.Barrier(3)

    def meet(x):
        together.wait(SECONDS)
        return x

    flow = Source.range(0, 3).flat_map(lambda x: Source.of(x).map(meet), breadth=3)
    assert sorted(system.start(flow.to(Sink.list())).result(SECONDS)) == [0, 1, 2]


def test_generators_that_wait_for_each_other_run_at_the_same_time_when_they_are_merged(system):
    together = threading.Barrier(2)

    def elements():
        together.wait(SECONDS)
        yield 1

    flow = Source.range(0, 2).flat_map(lambda _: Source.from_iterable(elements), breadth=2)
    assert system.start(flow.to(Sink.list())).result(SECONDS) == [1, 1]


def test_two_functions_of_one_stream_run_at_the_same_time_unless_they_are_fused(system):
    second = threading.Event()

    def first(x):
        assert x == 1 or second.wait(SECONDS), "the second function never ran"
        return x

    flow = Source.of(0).flat_map(
        lambda _: Source.of(1, 2).map(first).map(lambda x: second.set() or x)
    )
    assert system.start(flow.to(Sink.list())).result(SECONDS) == [1, 2]


FAILING = {
    "function": (lambda x: Source.of(2, 1, x, 1).map(inverse), "map#3", 2, [0, 1]),
    "tuple": (lambda x: Source.of((2,), (x,)).starmap(inverse), "starmap#3", 1, [0]),
    "predicate": (lambda x: Source.of(1, x).take_while(inverse), "take_while#3", 1, [1]),
    "source": (
        lambda x: Source.from_iterable(map(inverse, [2, x])),
        "from_iterable#3",
        1,
        [0],
    ),
    "what makes the source": (
        lambda x: Source.from_iterable(lambda: [inverse(x)] and iter([0, 1])),
        "from_iterable#3",
        0,
        [],
    ),
    "source before an operator": (
        lambda x: Source.from_iterable(map(inverse, [2, x])).take(3),
        "from_iterable#3",
        1,
        [0],
    ),
    "the second of a kind": (
        lambda x: Source.of(9, 1, x, 1).with_index().with_index().starmap(lambda i, p: 1 // p[1]),
        "starmap#3",
        2,
        [0, 1],
    ),
}


@pytest.mark.parametrize("case", FAILING.values(), ids=FAILING.keys())
def test_a_failure_names_the_stage_its_element_and_its_line_behind_all_elements_before(
    system, case
):
    stream, name, position, before = case
    seen = []
    flow = Source.of(1, 1, 0, 1).flat_map(
        lambda x: stream(x) if x == 0 else Source.repeat(7, 1).take(1)
    )
    going = system.start(flow.to(Sink.for_each(seen.append)))
    with pytest.raises(StageError) as caught:
        going.result(SECONDS)
    error = caught.value
    assert (error.stage, error.position) == (name, position)
    assert isinstance(error.__cause__, ZeroDivisionError)
    assert "test_inline_streams.py" in str(error)
    assert seen == [7, 7, *before]
    kind = name.partition("#")[0]
    failed = [s.details["failed"] for s in going.snapshot().stages if s.name == f"{kind} (ended)"]
    assert failed == [1]


def test_a_stage_of_a_fused_stream_is_named_when_it_fails(system):
    flow = Source.of(1).flat_map(
        lambda _: Source.of(2, 0).map(int).map(inverse).named("divide").fuse(), breadth=2
    )
    with pytest.raises(StageError, match=r"stage 'divide#1' failed at element 1: ZeroDivision"):
        system.start(flow.to(Sink.list())).result(SECONDS)


def test_a_failure_of_a_stream_is_not_one_of_the_element_it_was_made_for(system):
    """So the policy of the host does not speak of it."""
    flow = Source.of(1, 0, 1).flat_map(lambda x: Source.of(x).map(inverse)).on_failure("resume")
    with pytest.raises(StageError, match="'map#2'"):
        system.start(flow.to(Sink.list())).result(SECONDS)


@pytest.mark.parametrize("policy", ["resume", "restart"])
def test_a_function_that_gives_no_stream_is_passed_over_and_the_next_one_runs(system, policy):
    def f(x):
        return Source.of(1 // x, x).map(int)

    flow = Source.of(1, 0, 2).flat_map(f).on_failure(policy)
    assert system.start(flow.to(Sink.list())).result(SECONDS) == [1, 1, 0, 2]


def test_a_stop_iteration_in_a_function_is_a_failure_and_no_end(system):
    def f(x):
        raise StopIteration

    flow = Source.of(1).flat_map(lambda x: Source.of(x, x).map(f))
    with pytest.raises(StageError) as caught:
        system.start(flow.to(Sink.list())).result(SECONDS)
    assert isinstance(caught.value.__cause__, StopIteration)


@pytest.mark.parametrize("breadth", [None, 2])
@pytest.mark.parametrize("stream", [lambda u: u.source(), lambda u: u.source().map(int).fuse()])
def test_the_source_is_released_when_its_stream_ends_early_fails_or_is_cancelled(
    system, stream, breadth
):
    for behind in (
        lambda flow: flow.take(5),
        lambda flow: flow.map(lambda x: 1 // (x - 3)).recover(lambda _: 0),
    ):
        upstream = Upstream(range(1000))
        flow = Source.of(upstream).flat_map(stream, breadth)
        system.start(behind(flow).to(Sink.list())).result(SECONDS)
        upstream.wait_until_released()
        assert upstream.begun == 1
    wait_until(lambda: not system.children())


ENDING = {
    "lists": lambda x: [x, x],
    "tuples": lambda x: (x, x),
    "texts": lambda x: str(x) * 2,
    **INLINE,
}


@pytest.mark.parametrize("stream", ENDING.values(), ids=ENDING.keys())
@pytest.mark.parametrize("breadth", [None, 2])
def test_the_end_needs_no_demand_beyond_the_last_element(system, stream, breadth):
    book = Book(first=4)
    system.publisher(Source.of(1, 2).flat_map(stream, breadth)).subscribe(book)
    assert book.wait() == "complete"
    assert len(book.elements) == 4


def test_an_iterable_that_cannot_tell_its_end_is_not_drawn_for_it(system):
    drawn = []

    def elements(x):
        for y in (x, x):
            drawn.append(y)
            yield y
        drawn.append("end")

    book = Book(first=2)
    system.publisher(Source.of(1).flat_map(elements)).subscribe(book)
    wait_until(lambda: len(book.elements) == 2)
    assert drawn == [1, 1]
    book.subscription.request(1)
    assert book.wait() == "complete"


def test_figures_count_what_went_through_each_stage_also_while_the_host_runs(system):
    gate = threading.Event()

    def hold(x):
        assert x < 100 or gate.wait(SECONDS)
        return x

    def stream(x):
        return Source.from_iterable(y for y in (x, x, 0)).take_while(bool).fuse()

    flow = Source.range(1, 100).flat_map(stream).map(hold)
    going = system.start(flow.to(Sink.count()))
    try:
        wait_until(lambda: any(s.name == "take_while (ended)" for s in going.snapshot().stages))
    finally:
        gate.set()
    assert going.result(SECONDS) == 200
    figures = {s.name: (s.elements_in, s.elements_out) for s in going.snapshot().stages}
    assert figures["from_iterable (ended)"] == (0, 300)
    assert figures["take_while (ended)"] == (300, 200)
    stages = [s.details["stages"] for s in going.snapshot().stages if "(ended)" in s.name]
    assert stages == [100, 100]


@pytest.mark.parametrize("kind", [Source.from_iterable, lambda made: made()])
def test_what_came_fast_does_not_wait_for_an_element_that_is_slow(kind):
    arrived = threading.Event()

    def elements():
        yield from range(5_000)
        assert arrived.wait(SECONDS), "elements waited for one that came behind them"
        yield 5_000

    def note(n):
        if n == 5_000 - 2 * CALLS:
            arrived.set()

    Source.of(0).flat_map(lambda _: kind(elements)).run(Sink.for_each(note))
    assert arrived.is_set()
