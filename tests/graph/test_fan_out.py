# mypy: disable-error-code="arg-type, attr-defined, call-overload, func-returns-value, operator"
# mypy: disable-error-code="return-value, var-annotated"
"""Streams given to several, in running graphs, and sinks that hang on a stream."""

import threading

import pytest
from hypothesis import given

from actors_rs import ActorSystem, Flow, Graph, Sink, Source, merge, pipe
from actors_rs.engine.layout import DEALT_WINDOW, windows_of
from actors_rs.errors import GraphError, InvalidArgumentError, RunCancelled, StageError
from actors_rs.graph.blueprint import in_order
from tests.graph.helpers import SECONDS, Book, run, wait_until
from tests.graph.models import check_cancel, check_demand, check_list, check_operator, quick, trials

ten = Source.range(0, 10)


def unzipped(source):
    one, other = source.map(lambda x: (x, -x)).unzip()
    return one.zip(other)


def balanced(source):
    return merge(*source.balance(3))


SHAPES = {
    "also_to": (lambda s: s.also_to(Sink.ignore()), list, list),
    "divert_to": (
        lambda s: s.divert_to(Sink.count(), lambda x: x % 3 == 0),
        lambda xs: [x for x in xs if x % 3],
        list,
    ),
    "unzip": (unzipped, lambda xs: [(x, -x) for x in xs], list),
    "wire_tap": (lambda s: s.wire_tap(Sink.ignore()), list, list),
}


@pytest.mark.parametrize("kind", SHAPES)
@quick
@given(trial=trials())
def test_a_stream_taken_apart_and_put_together_is_what_it_was(shared, kind, trial):
    operator, model, view = SHAPES[kind]
    check_operator(shared, operator, model, trial, view=view)


@quick
@given(trial=trials())
def test_what_was_balanced_and_merged_is_complete(shared, trial):
    # Not behind a failure: the first branch that fails ends the merge.
    check_list(shared, balanced, list, trial, view=sorted)
    check_demand(shared, balanced, list, trial, view=sorted)
    check_cancel(shared, balanced, trial)


@pytest.mark.parametrize("window", [1, 2, 1024])
def test_balance_gives_only_where_there_is_demand(window):
    held = threading.Event()
    flows = Source.range(0, 3000).balance(2)
    stuck = flows[0].map(lambda n: held.wait(SECONDS) and n).with_attributes(window=window)
    free = flows[1].map(lambda n: n)
    counted = []

    def count(n):
        counted.append(n)
        if len(counted) >= 3000 - 2 * window:
            held.set()

    graph = Graph(stuck.to(Sink.list()), free.to(Sink.for_each(count)))
    slow, fast = run(graph, window=window)
    assert len(slow) + fast == 3000
    assert sorted([*slow, *counted]) == list(range(3000))


def test_balance_gives_nearly_all_to_the_branch_that_works_them_off():
    first_taken, quick_done = threading.Event(), threading.Event()

    def work(n):
        first_taken.set()
        assert quick_done.wait(SECONDS)
        return n

    def hold(n):
        assert first_taken.wait(SECONDS)
        return n

    flows = Source.range(0, 3000).balance(2)
    slow = flows[0].filter(lambda _: True).map(work)
    quick = flows[1].map(hold).on_termination(lambda _: quick_done.set())
    got = run(Graph(slow.to(Sink.count()), quick.to(Sink.count())))
    assert got[0] <= 2 * DEALT_WINDOW, "one window in each of its two stages"
    assert sum(got) == 3000


def test_the_window_of_a_stage_after_balance_is_the_users_if_given():
    one, other = Source.range(0, 10).balance(2)
    given = one.map(int).with_attributes(window=100)
    both = merge(given, other.map(int)).map(int)
    specs = in_order(both.to(Sink.count())._sinks)
    windows = [(spec.kind, window) for spec, window in windows_of(specs, 4096).items()]
    assert sorted(windows) == [
        ("balance", 4096),
        ("count", 4096),
        ("map", DEALT_WINDOW),
        ("map", 100),
        ("map", 4096),
        ("merge", 4096),
        ("range", 4096),
    ]


class Place:
    """What can be used as an index and is no ``int``, as NumPy's integers are."""

    def __init__(self, place):
        self.place = place

    def __index__(self):
        return self.place


@pytest.mark.parametrize("window", [1, 1024])
def test_partition_takes_whatever_is_an_index_for_the_number_of_an_outlet(window):
    flow = ten.with_attributes(window=window)
    even, odd = flow.partition(2, lambda n: Place(n % 2))
    assert run(Graph(even.to(Sink.list()), odd.to(Sink.list()))) == (
        [0, 2, 4, 6, 8],
        [1, 3, 5, 7, 9],
    )
    none, rest = ten.partition(2, lambda n: Place(n - 3))
    with pytest.raises(StageError, match="f must return 0 to 1, got <"):
        run(Graph(none.to(Sink.list()), rest.to(Sink.list())))


def test_unzip_delivers_what_came_before_an_element_that_is_no_pair_and_names_it():
    for wrong in [(1, 2, 3), 7, (1,)]:
        one, other = Source.of((1, "a"), (2, "b"), wrong).unzip()
        seen = [], []
        graph = Graph(
            one.to(Sink.for_each(seen[0].append)), other.to(Sink.for_each(seen[1].append))
        )
        with pytest.raises(StageError, match=r"unzip\(2\) needs sequences of 2, got") as caught:
            run(graph)
        assert caught.value.position == 2
        assert seen == ([1, 2], ["a", "b"])


class TestSideSinks:
    @pytest.mark.parametrize("window", [1, 3, 1024])
    def test_they_get_what_the_stream_gives_them_and_add_no_result(self, window):
        also, diverted, tapped = [], [], []
        flow = (
            ten.also_to(Sink.for_each(also.append))
            .divert_to(Sink.for_each(diverted.append), lambda n: n == 3)
            .wire_tap(Sink.for_each(tapped.append))
        )
        assert run(flow.to(Sink.list()), window=window) == [0, 1, 2, 4, 5, 6, 7, 8, 9]
        assert also == list(range(10))
        assert diverted == [3]
        assert tapped == [n for n in tapped if n != 3] == sorted(tapped)

    def test_they_go_along_with_pieces_that_are_used_again_named_and_joined(self):
        seen = []
        piece = Flow().also_to(Sink.for_each(seen.append)).named("noted")
        flow = merge(ten.via(piece), Source.of(10).via(piece).via(piece)).map(str)
        a, b = flow.broadcast(2)
        assert run(Graph(a.to(Sink.count()), b.to(Sink.count()))) == (11, 11)
        assert sorted(seen) == [*range(10), 10, 10]
        with ActorSystem() as system:
            going = system.start(flow.to(Sink.count()))
            going.result(SECONDS)
            names = [stage.name for stage in going.snapshot().stages]
        assert [name for name in names if "noted" in name] == ["noted", "noted-2", "noted-3"]

    def test_one_may_have_a_flow_of_its_own_in_front(self):
        seen = []
        side = Flow[int, int]().filter(lambda n: n % 2).map(str).into(Sink.for_each(seen.append))
        assert run(ten.also_to(side).also_to(side).to(Sink.count())) == 10
        assert sorted(seen) == sorted(["1", "3", "5", "7", "9"] * 2)
        with ActorSystem(shutdown_timeout=SECONDS) as system:
            subscriber = system.subscriber(Flow().map(str).into(Sink.list()))
            system.publisher(ten).subscribe(subscriber)
            assert subscriber.run.result(SECONDS) == [str(n) for n in range(10)]
        assert Source.of(1).to(Flow[int, int]().into(Sink.list())).run() == [1]

    def test_each_run_has_its_own(self):
        seen = []
        graph = ten.also_to(Sink.for_each(seen.append)).to(Sink.sum())
        assert graph.run() == graph.run() == 45
        assert seen == [*range(10), *range(10)]

    @pytest.mark.parametrize("how", ["also_to", "divert_to", "wire_tap"])
    def test_one_that_fails_fails_the_run(self, how):
        def fails(n):
            raise KeyError(n)

        sink = Sink.for_each(fails).named("broken")
        more = (lambda n: n > 3,) if how == "divert_to" else ()
        flow = getattr(Source.repeat(7), how)(sink, *more)
        with pytest.raises(StageError) as caught:
            run(flow.to(Sink.ignore()))
        assert caught.value.stage == "broken"

    @pytest.mark.parametrize("how", ["also_to", "divert_to", "wire_tap"])
    def test_one_that_has_had_enough_does_not_hold_the_stream_up(self, how):
        more = (lambda n: n % 2,) if how == "divert_to" else ()
        flow = getattr(Source.range(0, 5000), how)(Sink.first(), *more)
        assert run(flow.to(Sink.count())) == (2500 if more else 5000)

    @pytest.mark.parametrize("how", ["also_to", "divert_to", "wire_tap"])
    def test_they_complete_when_the_stream_has_had_enough(self, how, tmp_path):
        path = tmp_path / "side.jsonl"
        more = (lambda n: n % 2,) if how == "divert_to" else ()
        flow = getattr(Source.unfold(0, lambda n: (n, n + 1)), how)(Sink.jsonl(path), *more)
        assert run(flow.take(10).to(Sink.count())) == 10
        assert path.exists(), "the side sink did not complete"

    def test_a_cancelled_run_ends_them_too(self):
        with ActorSystem(shutdown_timeout=SECONDS) as system:
            going = system.start(Source.repeat(1).also_to(Sink.ignore()).to(Sink.ignore()))
            going.cancel()
            with pytest.raises(RunCancelled):
                going.result(SECONDS)

    def test_they_are_part_of_publishers_processors_and_hubs(self):
        seen = []
        piece = Flow().also_to(Sink.for_each(seen.append))
        with ActorSystem(shutdown_timeout=SECONDS) as system:
            processor = system.processor(piece)
            for publisher in (
                system.publisher(ten.via(piece)),
                ten.via(piece).hub(system),
                processor,
            ):
                book = Book(first=100)
                publisher.subscribe(book)
                if publisher is processor:
                    system.publisher(ten).subscribe(processor)
                assert book.wait() == "complete"
                assert book.elements == list(range(10))
            wait_until(lambda: len(seen) == 30)

    def test_a_tap_never_holds_the_stream_up_and_what_it_missed_is_counted(self):
        held = threading.Event()
        with ActorSystem(window=16, shutdown_timeout=SECONDS) as system:
            slow = Sink.for_each(lambda _: held.wait(SECONDS))
            done = threading.Event()
            flow = Source.range(0, 5000).wire_tap(slow).map(lambda n: n if n < 4999 else done.set())
            going = system.start(flow.to(Sink.count()))
            assert done.wait(SECONDS), "the tap held the stream up"
            held.set()
            assert going.result(SECONDS) == 5000
            stages = {stage.name: stage for stage in going.snapshot().stages}
        seen, dropped = stages["for_each"].elements_in, stages["wire_tap"].details["dropped"]
        assert seen + dropped == 5000
        assert dropped > 4900

    @pytest.mark.parametrize("tapped", [3, 16])
    def test_a_tap_loses_nothing_while_a_window_of_elements_is_enough(self, tapped):
        seen = []
        run(Source.range(0, tapped).wire_tap(Sink.for_each(seen.append)).to(Sink.ignore()))
        assert seen == list(range(tapped))


@pytest.mark.parametrize(
    ("make", "kind", "says"),
    [
        (lambda: ten.balance(0), InvalidArgumentError, "balance: n must be at least 1, got 0"),
        (lambda: ten.unzip(0), InvalidArgumentError, "unzip: n must be at least 1, got 0"),
        (lambda: ten.run(Sink.list), TypeError, ": call it, Sink.list()"),
        (lambda: ten.run(3), TypeError, "run needs a Sink, got 3"),
        (
            lambda: pipe(ten, Sink.list()),
            TypeError,
            "pipe needs Flows after the first part, got <",
        ),
        (lambda: ten.also_to(ten), TypeError, "also_to needs a Sink, got <Flow"),
        (lambda: ten.wire_tap(print), TypeError, "wire_tap needs a Sink, got <built-in"),
        (lambda: ten.divert_to(Sink.list(), 3), TypeError, "divert_to: when must be callable"),
        (lambda: Flow().into(ten), TypeError, "into needs a Sink, got <Flow ending in 'range'>"),
        (
            lambda: ten.into(Sink.list()),
            GraphError,
            r"one open input, got 0 before stage 'range' \(made at .*\.py:\d+\); a source ends",
        ),
        (
            lambda: merge(Flow(), Flow()).into(Sink.list()),
            GraphError,
            "one open input, got 2 before stage 'merge'",
        ),
        (lambda: ten.divert_to(None, bool), TypeError, "divert_to needs a Sink, got None"),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_sentence(make, kind, says):
    with pytest.raises(kind, match=says):
        make()


def test_a_branch_of_balance_or_unzip_that_leads_nowhere_is_named_with_its_line():
    for flows in (ten.balance(2, name="work"), ten.unzip(name="work")):
        with pytest.raises(GraphError, match=r"outlet 1 of stage 'work' feeds nothing .*\.py:\d+"):
            run(flows[0].to(Sink.list()))


def test_how_many_branches_there_are_can_be_said_by_name():
    for flows in (ten.broadcast(n=3), ten.balance(n=3), ten.partition(n=3, f=abs), ten.unzip(n=3)):
        assert len(flows) == 3
