# mypy: disable-error-code="arg-type, call-overload, union-attr, var-annotated"
"""``on_failure``: what a stage of a running graph does with an element that makes it fail."""

import threading
from asyncio import CancelledError
from concurrent.futures import Future
from operator import add

import pytest
from hypothesis import given

from actors_rs import ActorSystem, Flow, Graph, Sink, Source
from actors_rs.errors import DeciderError, GraphError, InvalidArgumentError, StageError
from tests.graph.helpers import SECONDS, Book
from tests.graph.models import check_operator, quick, trials


@pytest.fixture
def system():
    with ActorSystem(workers=2, shutdown_timeout=SECONDS) as system:
        yield system


def unless(*bad):
    """A function that returns its argument, or raises for one of ``bad``."""

    def f(n):
        if n in bad:
            raise KeyError(n)
        return n

    return f


def letters(system):
    """Element, position and policy of each dead letter."""
    return [(one.what, one.error.position, one.why) for one in system.dead_letters.recent()]


def test_resume_leaves_one_of_a_thousand_out_and_names_it(system):
    flow = Source.range(1, 1000).map(unless(700)).named("parse").on_failure("resume")
    expected = [n for n in range(1, 1001) if n != 700]
    assert system.start(flow.to(Sink.list())).result(SECONDS) == expected
    (letter,) = system.dead_letters.recent()
    assert letter.what == 700
    assert letter.where == "stage 'parse'"
    assert letter.why == "on_failure='resume'"
    assert (letter.error.stage, letter.error.position) == ("parse", 699)
    assert "test_on_failure.py:" in letter.error.site
    assert isinstance(letter.error.__cause__, KeyError)


@pytest.mark.parametrize("how", [lambda flow: flow, lambda flow: flow.on_failure("stop")])
def test_stop_gives_what_came_before_then_the_error_and_cancels_upstream(system, how):
    closed, seen = threading.Event(), []

    def elements():
        try:
            yield from range(1, 100_000)
        finally:
            closed.set()

    flow = how(Source.from_iterable(elements).map(unless(700)))
    with pytest.raises(StageError, match="stage 'map' failed at element 699: KeyError") as caught:
        system.start(flow.to(Sink.for_each(seen.append))).result(SECONDS)
    assert seen == list(range(1, 700))
    assert closed.wait(SECONDS)
    assert isinstance(caught.value.__cause__, KeyError)
    assert letters(system) == []


@pytest.mark.parametrize("demand", [1, 3, 10_000])
def test_restart_gives_a_scan_fresh_state_and_neither_loses_nor_doubles_demand(system, demand):
    def add(total, n):
        return total + unless(700)(n)

    def on_element(book, element):
        if len(book.elements) == book.requested:
            book.request(demand)

    flow = Source.range(1, 1000).scan(0, add).on_failure("restart")
    book = Book(demand, on_element)
    system.publisher(flow).subscribe(book)
    assert book.wait() == "complete"
    before = [n * (n + 1) // 2 for n in range(1, 700)]
    behind = [sum(range(701, n + 1)) for n in range(701, 1001)]
    assert book.elements == before + behind
    assert letters(system) == [(700, 699, "on_failure='restart'")]


ELEMENT_WISE = {
    "map": (lambda s, f: s.map(f), list),
    "map_builtin": (lambda s, f: s.map({n: n for n in range(-99, 99) if n % 5}.__getitem__), list),
    "filter": (lambda s, f: s.filter(lambda n: f(n) % 2), lambda xs: [x for x in xs if x % 2]),
    "flat_map": (
        lambda s, f: s.flat_map(lambda n: [f(n)] * (n % 4)),
        lambda xs: [x for x in xs for _ in range(x % 4)],
    ),
    "lazy flat_map": (
        lambda s, f: s.flat_map(lambda n: (f(n) for _ in range(3))),
        lambda xs: [x for x in xs for _ in range(3)],
    ),
    "scan": (
        lambda s, f: s.scan(0, lambda a, n: a + f(n)),
        lambda xs: [sum(xs[: i + 1]) for i in range(len(xs))],
    ),
    "skip_while": (
        lambda s, f: s.skip_while(lambda n: f(n) < 4),
        None,
    ),
    "map_async": (lambda s, f: s.map_async(f, 3), list),
}


def skipped(xs):
    """What skip_while(f(n) < 4) gives: f is asked, and may fail, only as long as it skips."""
    for i, x in enumerate(xs):
        if x % 5 and x >= 4:
            return xs[i:]
    return []


@pytest.mark.parametrize("which", ELEMENT_WISE)
@quick
@given(trial=trials())
def test_resume_is_the_operator_without_the_elements_that_fail(shared, which, trial):
    operator, model = ELEMENT_WISE[which]

    def f(n):
        if n % 5 == 0:
            raise KeyError(n)
        return n

    def expected(xs):
        return skipped(xs) if model is None else model([x for x in xs if x % 5])

    check_operator(shared, lambda s: operator(s, f).on_failure("resume"), expected, trial)


@quick
@given(trial=trials())
def test_restart_of_a_scan_is_a_fold_of_each_stretch_between_failures(shared, trial):
    def add(total, n):
        if n % 5 == 0:
            raise KeyError(n)
        return total + n

    def expected(xs):
        out, total = [], 0
        for x in xs:
            total = total + x if x % 5 else 0
            out += [total] if x % 5 else []
        return out

    check_operator(shared, lambda s: s.scan(0, add).on_failure("restart"), expected, trial)


@quick
@given(trial=trials())
def test_take_while_goes_on_behind_a_failure_until_it_is_satisfied(shared, trial):
    def below_9(n):
        if n % 5 == 0:
            raise KeyError(n)
        return n < 9

    def expected(xs):
        out = []
        for x in xs:
            if x % 5:
                if x >= 9:
                    break
                out.append(x)
        return out

    def enough(xs):
        return any(x % 5 and x >= 9 for x in xs)

    check_operator(
        shared,
        lambda s: s.take_while(below_9).on_failure("resume"),
        expected,
        trial,
        enough=enough,
    )


def test_every_sink_with_a_function_goes_on_without_the_element(system):
    a, b, c, d = Source.range(0, 1000).map(lambda n: None if n == 700 else n).broadcast(4)
    seen = []

    def see(n):
        seen.append(n + 0)

    fold = Sink.fold(0, lambda total, n: total + n).on_failure("resume")
    graph = Graph(
        a.to(Sink.for_each(see).on_failure("resume")),
        b.to(fold),
        c.to(Sink.sum().on_failure("resume")),
        d.to(Sink.fold(0, add).on_failure("resume")),
    )
    total = sum(range(1000)) - 700
    assert system.start(graph).result(SECONDS) == (999, total, total, total)
    assert len(seen) == 999
    assert {(what, position) for what, position, _ in letters(system)} == {(None, 700)}


def test_a_restarted_sink_has_the_result_of_what_came_behind_the_failure(system):
    flows = Source.range(0, 1000).map(lambda n: "x" if n == 700 else n).broadcast(2)
    graph = Graph(
        flows[0].to(Sink.sum().on_failure("restart")),
        flows[1].to(Sink.for_each(lambda n: n + 0).on_failure("restart")),
    )
    assert system.start(graph).result(SECONDS) == (sum(range(701, 1000)), 299)


def test_a_partition_goes_on_without_the_element_its_function_cannot_place(system):
    a, b = Source.range(0, 1000).partition(
        2, lambda n: unless(700, 701)(n) % 2, on_failure="resume"
    )
    evens, odds = system.start(Graph(a.to(Sink.list()), b.to(Sink.list()))).result(SECONDS)
    assert evens == [n for n in range(0, 1000, 2) if n != 700]
    assert odds == [n for n in range(1, 1000, 2) if n != 701]
    assert [one[:2] for one in letters(system)] == [(700, 700), (701, 701)]


@pytest.mark.parametrize("policy", ["resume", "restart"])
@pytest.mark.parametrize("ordered", [True, False])
def test_map_async_leaves_out_calls_that_fail_and_keeps_those_under_way(system, ordered, policy):
    flow = Source.range(0, 300).map_async(unless(0, 100, 299), 8, ordered).on_failure(policy)
    got = system.start(flow.to(Sink.list())).result(SECONDS)
    assert sorted(got) == [n for n in range(300) if n not in (0, 100, 299)]
    assert got == sorted(got) or not ordered
    assert sorted(one[:2] for one in letters(system)) == [(0, 0), (100, 100), (299, 299)]


def test_a_call_of_map_async_that_was_cancelled_is_left_out_too(system):
    def f(n):
        future = Future()
        future.cancel() if n == 2 else future.set_result(n)
        return future

    flow = Source.range(0, 5).map_async(f, 2).on_failure("resume")
    assert system.start(flow.to(Sink.list())).result(SECONDS) == [0, 1, 3, 4]


def test_a_decider_chooses_by_error_and_element(system):
    asked = []

    def decider(error, element):
        asked.append((type(error), element))
        return "stop" if element == 8 else "resume"

    flow = Source.range(0, 10).map(unless(3, 8)).on_failure(decider=decider)
    seen = []
    with pytest.raises(StageError, match="at element 8"):
        system.start(flow.to(Sink.for_each(seen.append))).result(SECONDS)
    assert asked == [(KeyError, 3), (KeyError, 8)]
    assert seen == [0, 1, 2, 4, 5, 6, 7]
    assert [one[0] for one in letters(system)] == [3]


@pytest.mark.parametrize("answer", ["escalate", None, 1], ids=str)
def test_a_decider_that_returns_no_policy_stops_the_stage_with_both_errors(system, answer):
    flow = Source.range(0, 10).map(unless(3)).on_failure(decider=lambda *_: answer)
    with pytest.raises(StageError, match="at element 3: KeyError") as caught:
        system.start(flow.to(Sink.list())).result(SECONDS)
    (other,) = caught.value.others
    assert isinstance(other, DeciderError)
    assert str(other).endswith(f"one of 'stop', 'resume', 'restart', got {answer!r}")


def test_a_decider_that_raises_stops_the_stage_with_both_errors(system):
    def decider(error, element):
        raise LookupError("which one?")

    flow = Source.range(0, 10).map(unless(3)).on_failure(decider=decider)
    book = Book(100)
    system.publisher(flow).subscribe(book)
    error = book.wait()
    assert isinstance(error, StageError)
    assert isinstance(error.__cause__, KeyError)
    (other,) = error.others
    assert isinstance(other, DeciderError)
    assert isinstance(other.__cause__, LookupError)
    assert book.elements == [0, 1, 2]


def test_what_is_no_elements_fault_stops_the_stage_whatever_its_policy(system):
    def out_of_memory(n):
        raise MemoryError

    flow = Source.range(0, 10).map(out_of_memory).on_failure("resume")
    with pytest.raises(MemoryError):
        flow.run(Sink.list())
    first = Source.empty().to(Sink.first().on_failure("resume"))
    with pytest.raises(LookupError):
        system.start(first).result(SECONDS)
    assert letters(system) == []


def test_asyncio_s_cancelled_error_stops_its_stage_whatever_the_policy_and_no_system(system):
    def cancelled(n):
        raise CancelledError

    flow = Source.range(0, 10).map(cancelled).on_failure("resume")
    with pytest.raises(StageError, match="stage 'map' failed: CancelledError") as caught:
        system.start(flow.to(Sink.list())).result(SECONDS)
    assert caught.value.position is None
    assert letters(system) == []


def test_a_sink_that_cannot_start_stops_whatever_its_policy(system, tmp_path):
    sink = Sink.jsonl(tmp_path / "missing" / "x.jsonl").on_failure("restart")
    with pytest.raises(StageError, match=r"'jsonl' failed: WriteError: could not write .*missing"):
        system.start(Source.of(1).to(sink)).result(SECONDS)


def test_a_failure_from_upstream_passes_a_stage_that_resumes(system):
    flow = Source.failed(KeyError("source")).map(unless()).on_failure("resume")
    with pytest.raises(KeyError, match="source"):
        system.start(flow.to(Sink.list())).result(SECONDS)


def test_a_section_gives_its_policy_to_stages_that_have_none(system):
    piece = (
        Flow()
        .map(unless(1))
        .map(unless(2))
        .on_failure("stop")
        .filter(unless(3))
        .on_failure("resume", section=True)
    )
    flow = Source.range(0, 10).map(unless(20)).via(piece)
    with pytest.raises(StageError, match="map-3' failed at element 1"):
        system.start(flow.to(Sink.list())).result(SECONDS)
    flow = Source.of(1, 5, 3, 7).via(piece)
    assert system.start(flow.to(Sink.list())).result(SECONDS) == [5, 7]
    flow = Source.of(1, 5, 20).map(unless(20)).via(piece)
    with pytest.raises(StageError, match="'map' failed at element 2"):
        system.start(flow.to(Sink.list())).result(SECONDS)


def test_a_section_makes_no_copies_of_stages_that_all_have_a_policy(system):
    before = Source.of(1, 2).map(unless(2)).on_failure("resume", section=True)
    after = before.map(unless(3)).on_failure("stop", section=True)
    assert after._out.spec.inputs == (before._out,)
    assert system.start(after.to(Sink.list())).result(SECONDS) == [1]


def test_a_section_ends_where_other_flows_begin(system):
    a, b = Source.range(0, 6).map(unless(5)).partition(2, lambda n: n % 2)
    a = a.map(unless(2)).on_failure("resume", section=True)
    with pytest.raises(StageError, match="at element 5"):
        system.start(Graph(a.to(Sink.list()), b.to(Sink.list()))).result(SECONDS)


def test_a_whole_source_can_be_a_section(system):
    flow = Source.range(0, 6).map(unless(2)).filter(lambda n: unless(3)(n + 0) != 4)
    flow = flow.on_failure("resume", section=True)
    assert system.start(flow.to(Sink.list())).result(SECONDS) == [0, 1, 5]


@pytest.mark.parametrize(
    ("wrong", "error", "message"),
    [
        (
            lambda f: f.on_failure("ignore"),
            InvalidArgumentError,
            "one of 'stop', 'resume', 're.*'ignore'",
        ),
        (lambda f: f.on_failure(None), InvalidArgumentError, "expected one of .*got None"),
        (lambda f: f.on_failure(decider=3), TypeError, "decider must be callable, got 3"),
        (
            lambda f: f.on_failure("stop", decider=print),
            InvalidArgumentError,
            "a policy or a decider, got both",
        ),
        (lambda f: Source.of(1).on_failure("resume"), GraphError, "got the source 'of'.*restart"),
        (lambda f: Flow().on_failure("resume"), GraphError, "an empty Flow"),
        (lambda f: Flow().on_failure("resume", section=True), GraphError, "an empty Flow"),
        (lambda f: Sink.list().on_failure("no"), InvalidArgumentError, "got 'no'"),
        (lambda f: f.partition(2, int, on_failure="no"), InvalidArgumentError, "got 'no'"),
        (lambda f: f.broadcast(2)[0].on_failure("resume"), GraphError, "2 outlets"),
    ],
)
def test_what_makes_no_sense_is_refused_when_it_is_said(wrong, error, message):
    with pytest.raises(error, match=message):
        wrong(Source.of(1).map(abs))


def test_passed_over_elements_are_counted_in_the_snapshot(system):
    flow = Source.range(0, 100).map(unless(3, 50)).on_failure("resume")
    going = system.start(flow.to(Sink.list()))
    going.result(SECONDS)
    stage = going.snapshot().stages[1]
    assert (stage.elements_in, stage.elements_out) == (100, 98)
    assert (stage.resumed, stage.restarted) == (2, 0)
