# mypy: disable-error-code="arg-type, attr-defined, union-attr, var-annotated"
"""Runs under the monitor: our own stages keep every rule, and who breaks one ends its own run."""

import gc
import threading
import weakref

import pytest

from actors_rs import ActorSystem, Flow, Graph, Sink, Source, merge
from actors_rs.engine import monitored
from actors_rs.engine.monitored import monitored_lines
from actors_rs.errors import ProtocolViolation, RunCancelled, StageError
from actors_rs.graph.spec import OPEN, OutletRef, spec_of
from actors_rs.stages.linear import SinkLogic
from actors_rs.stages.source import SourceLogic
from tests.conformance.stages import FLOWS, SOURCES
from tests.graph.helpers import SECONDS, Book, Feed, wait_until

MANY = 1000


def fails_at(limit):
    def f(n):
        if n == limit:
            raise ValueError(limit)
        return n

    return f


def numbers():
    return Source.range(0, MANY)


def diamond():
    left, right = numbers().broadcast(2)
    return left.map(lambda n: n + 1).merge(right.filter(lambda n: n % 2)).to(Sink.count())


def fan_out():
    a, b, c = numbers().partition(3, lambda n: n % 3)
    return Graph(a.to(Sink.sum()), b.to(Sink.count()), c.take(5).to(Sink.list()))


def one_branch_has_enough():
    a, b = numbers().broadcast(2)
    return Graph(a.take(1).to(Sink.list()), b.to(Sink.count()))


def one_branch_fails():
    a, b = numbers().broadcast(2)
    return Graph(a.map(fails_at(70)).to(Sink.count()), b.to(Sink.count()))


def text_file(folder):
    path = folder / "text.txt"
    path.write_text("a\nb\n" * 500, encoding="utf-8")
    return path


def sqlite(folder):
    import sqlite3

    path = folder / "t.db"
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE IF NOT EXISTS t (n)")
    database.close()
    return Source.range(0, 900).map(lambda n: (n,)).to(
        Sink.sqlite(path, "INSERT INTO t VALUES (?)", batch=50)
    )  # fmt: skip


# A graph for each way through our stages; a function takes a folder of its own.
GRAPHS = {
    "of": lambda _: Source.of(1, 2, 3).to(Sink.list()),
    "empty": lambda _: Source.empty().to(Sink.list()),
    "failed": lambda _: Source.failed(OSError("gone")).map(str).to(Sink.list()),
    "first": lambda _: Source.repeat(1).to(Sink.first()),
    "last": lambda _: Source.repeat(1, MANY).to(Sink.last()),
    "fold": lambda _: numbers().to(Sink.fold(0, max)),
    "for_each": lambda _: numbers().to(Sink.for_each(str)),
    "ignore": lambda _: numbers().to(Sink.ignore()),
    "from_iterable": lambda _: Source.from_iterable(set(range(99))).to(Sink.count()),
    "unfold": lambda _: Source.unfold(0, lambda n: (n, n + 1) if n < 500 else None).to(Sink.sum()),
    "lines": lambda folder: Source.lines(text_file(folder)).to(Sink.count()),
    "jsonl": lambda folder: numbers().to(Sink.jsonl(folder / "out.jsonl")),
    "sqlite": sqlite,
    "parquet": lambda folder: (
        Source.range(0, 500).map(lambda n: {"n": n}).to(Sink.parquet(folder / "rows"))
    ),
    "none": lambda _: Source.repeat(None, MANY).to(Sink.count()),
    "chain": lambda _: numbers().map(str).map(int).filter(bool).skip(3).to(Sink.sum()),
    "grow": lambda _: numbers().flat_map(lambda n: range(n % 5)).to(Sink.count()),
    "shrink": lambda _: numbers().batch(7).map(len).to(Sink.sum()),
    "timed": lambda _: numbers().batch(7, within=0.001).map(len).to(Sink.sum()),
    "scan": lambda _: numbers().scan(0, lambda a, b: a + b).to(Sink.last()),
    "take": lambda _: Source.repeat(7).take(2000).to(Sink.count()),
    "take_while": lambda _: numbers().take_while(lambda n: n < 300).to(Sink.count()),
    "skip_while": lambda _: numbers().skip_while(lambda n: n < 300).to(Sink.count()),
    "map_async": lambda _: numbers().map_async(str, 8).to(Sink.count()),
    "unordered": lambda _: numbers().map_async(str, 8, ordered=False).to(Sink.count()),
    "diamond": lambda _: diamond(),
    "fan_out": lambda _: fan_out(),
    "merged": lambda _: merge(numbers(), Source.empty(), Source.of(1)).to(Sink.count()),
    "narrow": lambda _: numbers().map(str).with_attributes(window=1).to(Sink.count()),
    "pinned": lambda _: numbers().map(str).with_attributes(dispatcher="pinned").to(Sink.count()),
    "enough": lambda _: one_branch_has_enough(),
    "takes_all_of_an_endless_merge": lambda _: (
        merge(Source.never(), numbers()).take(MANY).to(Sink.count())
    ),
    "fails": lambda _: numbers().map(fails_at(777)).map(str).to(Sink.list()),
    "fails_late": lambda _: numbers().map(str).to(Sink.for_each(fails_at("99"))),
    "fails_in_a_branch": lambda _: one_branch_fails(),
    "fails_in_map_async": lambda _: numbers().map_async(fails_at(500), 4).to(Sink.list()),
    "fails_in_a_merge": lambda _: merge(Source.failed(OSError()), numbers()).to(Sink.sum()),
}
FAILING = {name for name in GRAPHS if name.startswith("fail")}


@pytest.mark.parametrize(("workers", "window"), [(1, 1), (4, 3), (2, 4096)])
@pytest.mark.parametrize("name", GRAPHS)
def test_our_own_stages_keep_every_rule(name, window, workers, tmp_path):
    with ActorSystem(
        workers=workers, window=window, monitor=True, shutdown_timeout=SECONDS
    ) as system:
        run = system.start(GRAPHS[name](tmp_path))
        assert run.wait(SECONDS)
        if name not in FAILING:
            run.result()
            return
        with pytest.raises((StageError, OSError)):
            run.result()


@pytest.mark.parametrize("name", [*SOURCES, *FLOWS])
def test_every_stage_keeps_every_rule_between_stages_of_ours(name, tmp_path):
    """As in the conformance kit, whose list is complete; there its neighbours are foreign."""
    with ActorSystem(workers=2, window=3, monitor=True, shutdown_timeout=SECONDS) as system:
        if name in SOURCES:
            source = SOURCES[name](50, tmp_path)
        else:
            source = Source.range(0, 50).via(FLOWS[name]())
        assert system.start(source.to(Sink.count())).result(SECONDS) >= 0


@pytest.mark.parametrize("end", ["cancel", "drain"])
def test_a_run_that_is_stopped_keeps_every_rule(end):
    a, b = Source.repeat(1).map_async(str, 4).broadcast(2)
    graph = Graph(a.batch(3).to(Sink.count()), b.merge(Source.never()).to(Sink.count()))
    with ActorSystem(workers=2, monitor=True, shutdown_timeout=SECONDS) as system:
        run = system.start(graph)
        wait_until(lambda: run.snapshot().stages[-1].elements_in > 100)
        getattr(run, end)()
        assert run.wait(SECONDS)
        if end == "drain":
            run.result()
        else:
            with pytest.raises(RunCancelled):
                run.result()


def test_publishers_processors_and_subscribers_of_a_monitored_system_keep_every_rule():
    with ActorSystem(workers=2, monitor=True, shutdown_timeout=SECONDS) as system:
        subscriber = system.subscriber(Sink.sum())
        plain, busy = system.processor(Flow()), system.processor(Flow().map(str).map(int))
        system.publisher(numbers().map(lambda n: n)).subscribe(plain)
        plain.subscribe(busy)
        busy.subscribe(subscriber)
        assert subscriber.run.result(SECONDS) == sum(range(MANY))
        book = Book(first=10)
        system.publisher(numbers().map(str).filter(bool)).subscribe(book)
        wait_until(lambda: len(book.elements) == 10)
        book.subscription.cancel()
        wait_until(lambda: not system.children())
        assert book.ends == []


def test_what_a_foreign_subscriber_breaks_is_reported_and_ends_its_run():
    class Clinging(Book):
        def on_complete(self):
            self.subscription.request(1)
            super().on_complete()

    with ActorSystem(workers=2, monitor=True, shutdown_timeout=SECONDS) as system:
        processor = system.processor(Flow().map(str).named("text"))
        processor.subscribe(Clinging())
        Feed().subscribe(processor)
        processor.on_complete()
        with pytest.raises(ProtocolViolation, match=r"rule 2\.3: .*'text' -> 'Clinging'") as caught:
            processor.run.result(SECONDS)
        assert caught.value in [letter.error for letter in system.dead_letters.recent()]


def test_a_monitor_keeps_no_subscriber_alive_whose_stream_has_ended():
    book = Book(first=5)
    elements = book.elements
    gone = weakref.ref(book)
    with ActorSystem(workers=2, monitor=True, shutdown_timeout=SECONDS) as system:
        system.publisher(numbers()).subscribe(book)
        wait_until(lambda: len(elements) == 5)
        subscription = book.subscription
        subscription.cancel()
        del book
        wait_until(lambda: gc.collect() is not None and gone() is None)
        assert subscription is not None


def test_the_answer_to_a_request_for_nothing_is_the_same_under_the_monitor():
    book = Book(first=0)
    with ActorSystem(workers=2, monitor=True, shutdown_timeout=SECONDS) as system:
        system.publisher(numbers()).subscribe(book)
        error = book.wait()
        assert isinstance(error, ValueError)
        assert "rule 3.9" in str(error)
        assert "rule 3.9" in system.dead_letters.recent()[0].why


class Rogue(SourceLogic):
    """A source that goes around its outlet: what it does once it is asked is the test's."""

    act = staticmethod(lambda down, demand: None)

    def advance(self, budget):
        if self.outlet.demand and not self.ended:
            self.ended = True
            self.act(self.outlet._downstream, self.outlet.demand)


def rogue(act):
    return Flow(OutletRef(spec_of("rogue", type("Planted", (Rogue,), {"act": staticmethod(act)}))))


def overproduces(down, demand):
    down.push([1] * (demand + 1))


def goes_on_after_the_end(down, demand):
    down.complete()
    down.push([1])


def ends_twice(down, demand):
    down.push([1, 2])
    down.fail(OSError())
    down.complete()


class Greedy(SinkLogic):
    """A sink that goes around its inlet and asks for nothing."""

    def start(self):
        self.inlet._upstream.request(0)

    def consume(self, elements):
        raise AssertionError("nothing was asked for")


def greedy():
    return Sink(spec_of("greedy", Greedy, OPEN, outlets=0))


PLANTED = [
    ("1.1", lambda: rogue(overproduces).to(Sink.list()), ("request(8)", "on_next of 9 elements")),
    ("1.7", lambda: rogue(goes_on_after_the_end).to(Sink.list()), ("on_complete", "on_next")),
    ("1.7", lambda: rogue(ends_twice).to(Sink.list()), ("on_error(OSError)", "on_complete")),
    ("3.9", lambda: numbers().named("rogue").to(greedy().named("list")), ("", "request(0)")),
]


@pytest.mark.parametrize(("number", "graph", "signals"), PLANTED)
def test_a_violation_ends_its_run_and_names_rule_stages_and_signals(number, graph, signals):
    with ActorSystem(workers=2, window=8, shutdown_timeout=SECONDS) as system:
        run = system.start(graph().monitored())
        with pytest.raises(ProtocolViolation, match=rf"rule {number}: ") as caught:
            run.result(SECONDS)
        assert caught.value.link == "'rogue' -> 'list'"
        assert caught.value.link in str(caught.value)
        assert caught.value.signals[-1] == signals[-1]
        assert caught.value.signals[0] == (signals[0] or "on_subscribe")
        wait_until(lambda: not system.children())


def test_a_violation_never_stops_another_run():
    with ActorSystem(workers=2, window=8, monitor=True, shutdown_timeout=SECONDS) as system:
        go_on = threading.Event()
        other = system.start(
            numbers().map_async(lambda n: go_on.wait(SECONDS) and n, 2).to(Sink.sum())
        )
        for _ in range(5):
            run = system.start(rogue(overproduces).map(lambda n: n).to(Sink.count()))
            with pytest.raises(ProtocolViolation):
                run.result(SECONDS)
        assert not other.done()
        go_on.set()
        assert other.result(SECONDS) == sum(range(MANY))


def test_a_violation_in_one_branch_ends_all_branches_of_its_run():
    graph = Graph(Source.repeat(1).to(Sink.ignore()), rogue(overproduces).to(Sink.count()))
    with ActorSystem(workers=2, monitor=True, shutdown_timeout=SECONDS) as system:
        with pytest.raises(ProtocolViolation, match=r"rule 1\.1"):
            system.start(graph).result(SECONDS)


def test_a_graph_is_monitored_if_one_of_its_parts_is():
    graph = Graph(numbers().to(Sink.sum()).monitored(), rogue(ends_twice).to(Sink.count()))
    with ActorSystem(workers=2, shutdown_timeout=SECONDS) as system:
        with pytest.raises(ProtocolViolation, match=r"rule 1\.7.*'rogue' -> 'count'"):
            system.start(graph).result(SECONDS)


def test_asking_for_a_monitor_leaves_the_graph_itself_without_one(monkeypatch):
    graph = numbers().to(Sink.sum())
    graph.monitored()
    _forbid_monitors(monkeypatch)
    with ActorSystem(workers=1) as system:
        assert system.start(graph).result(SECONDS) == sum(range(MANY))
        with pytest.raises(AssertionError, match="a monitor was made"):
            system.start(graph.monitored())


def _forbid_monitors(monkeypatch):
    def refuse(*_, **__):
        raise AssertionError("a monitor was made")

    monkeypatch.setattr(monitored, "RuleMonitor", refuse)


class Line:
    """Either direction of a link, whose every message is held until the test lets it go on."""

    def __init__(self):
        self.begun, self.go_on = threading.Event(), threading.Event()
        self.got = []

    def push(self, frame):
        self._held("push")

    def complete(self):
        self.got.append("complete")

    def request(self, n):
        self._held("request")

    def cancel(self, cause=None):
        self.got.append("cancel")

    def _held(self, what):
        self.got.append(what)
        self.begun.set()
        assert self.go_on.wait(SECONDS)


class Aborted:
    """What a link's monitor tells its run."""

    system = None

    def __init__(self):
        self.errors = []

    def abort(self, error):
        self.errors.append(error)


@pytest.mark.parametrize("direction", ["down", "up"])
def test_overlap_on_a_link_of_a_run_is_told_with_both_stacks_and_goes_no_further(direction):
    run, line, aside = Aborted(), Line(), Line()
    aside.go_on.set()
    down, up = monitored_lines(
        run, ("a", "b"), *((line, aside) if direction == "down" else (aside, line))
    )
    if direction == "down":
        up.request(5)
    first, second = (
        (lambda: down.push([1]), down.complete) if direction == "down" else
        (lambda: up.request(1), up.cancel)
    )  # fmt: skip
    thread = threading.Thread(target=first)
    thread.start()
    assert line.begun.wait(SECONDS)
    second()
    line.go_on.set()
    thread.join()
    (error,) = run.errors
    assert error.rule == ("1.3" if direction == "down" else "2.7")
    assert error.link == "'a' -> 'b'"
    assert len(error.stacks) == 2
    assert line.got == ["push" if direction == "down" else "request"]
