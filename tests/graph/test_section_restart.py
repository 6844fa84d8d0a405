# mypy: disable-error-code="arg-type, call-overload, union-attr, var-annotated"
"""``flow.restart``: a section that is made anew when it fails, while the rest waits."""

import threading
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from actors_rs import ActorSystem, Flow, Graph, Sink, Source
from actors_rs.errors import GraphError, InvalidArgumentError, RunCancelled, StageError
from actors_rs.runtime.supervision.backoff import Backoff
from tests.graph.helpers import SECONDS, Book, wait_until

AT_ONCE = Backoff(0, 0)
LOST = "dropped when its section failed"


@pytest.fixture
def system():
    with ActorSystem(workers=2, shutdown_timeout=SECONDS) as system:
        yield system


class Flaky:
    """A function that raises for some elements, or for its first calls."""

    def __init__(self, *bad, calls=0):
        self.bad = bad
        self.calls = calls

    def __call__(self, n):
        if self.calls:
            self.calls -= 1
            raise OSError("not yet")
        if n in self.bad:
            raise KeyError(n)
        return n


class Attempts:
    """A source that fails behind its third element for its first ``failures`` lives."""

    def __init__(self, failures):
        self.failures = failures
        self.scopes = 0
        self.open = 0
        self.most_open = 0

    def __call__(self):
        self.scopes += 1
        self.open += 1
        self.most_open = max(self.most_open, self.open)
        try:
            yield from "abc"
            if self.scopes <= self.failures:
                raise OSError("connection lost")
        finally:
            self.open -= 1


def lost(system):
    return [one.what for one in system.dead_letters.recent() if one.why == LOST]


def restarts(system):
    return [one for one in system.dead_letters.recent() if "is restarted" in one.why]


def test_a_section_that_gives_up_fails_with_its_own_failure_and_not_over_what_it_hands_back(system):
    section = Flow().map(Flaky(*range(3, 100))).restart(AT_ONCE, max_restarts=2)
    with pytest.raises(StageError, match=r"stage 'map#\d' failed at element \d: KeyError: "):
        system.start(Source.range(0, 100).via(section).to(Sink.list())).result(SECONDS)


def test_a_source_begins_anew_behind_what_it_gave_and_its_failure_is_a_dead_letter(system):
    attempts = Attempts(2)
    flow = Source.from_iterable(attempts).map(str.upper).restart(AT_ONCE)
    assert system.start(flow.to(Sink.list())).result(SECONDS) == list("ABCABCABC")
    assert (attempts.scopes, attempts.open, attempts.most_open) == (3, 0, 1)
    first, second = restarts(system)
    assert first.where == "stage 'section'"
    assert first.why == "failed, and is restarted"
    assert isinstance(first.error.__cause__, OSError)
    assert first.error.position == second.error.position == 3


def test_a_section_goes_on_behind_the_element_that_made_it_fail(system):
    flow = Source.range(0, 1000).via(
        Flow().map(Flaky(700)).scan(0, lambda a, n: a + 1).restart(AT_ONCE)
    )
    got = system.start(flow.to(Sink.list())).result(SECONDS)
    assert got == [*range(1, 701), *range(1, 300)], "with fresh state behind it"
    assert lost(system) == [700]


def test_what_a_section_had_folded_is_lost_with_it_and_no_dead_letter(system):
    section = Flow().map(Flaky(5)).sum().restart(AT_ONCE)
    flow = Source.range(0, 10).via(section).to(Sink.list())
    assert system.start(flow).result(SECONDS) == [6 + 7 + 8 + 9]
    assert lost(system) == [5]


def test_beyond_the_last_restart_the_failure_goes_on(system):
    attempts = Attempts(100)
    flow = Source.from_iterable(attempts).named("feed").restart(AT_ONCE, max_restarts=2, within=60)
    seen = []
    with pytest.raises(StageError, match="'feed#3' failed at element 3: OSError") as caught:
        system.start(flow.to(Sink.for_each(seen.append))).result(SECONDS)
    assert "".join(seen) == "abc" * 3
    assert attempts.scopes == 3
    assert caught.value.others == ()
    assert "test_section_restart.py:" in caught.value.site


def test_no_restart_at_all_is_a_choice(system):
    flow = Source.failed(OSError("x")).restart(AT_ONCE, 0)
    with pytest.raises(OSError, match="x"):
        system.start(flow.to(Sink.list())).result(SECONDS)
    assert restarts(system) == []


@pytest.mark.parametrize(
    "make", [lambda: Source.failed(OSError("x")), lambda: Source.range(0, 9).map(Flaky(calls=99))]
)
def test_a_section_that_fails_at_once_is_restarted_with_pauses(system, make):
    went = system.start(make().restart(AT_ONCE, 3).to(Sink.list()))
    with pytest.raises((StageError, OSError)):
        went.result(SECONDS)
    assert went.snapshot().stages[0].details["restarts"] == 3
    first, *_, last = restarts(system)
    assert last.when - first.when >= 2 / 20, "never 20 a second"


def test_what_is_behind_a_section_keeps_its_demand_while_it_rests(system):
    attempts = Attempts(1)
    flow = Source.from_iterable(attempts).restart(AT_ONCE)
    book = Book(4)
    system.publisher(flow).subscribe(book)
    wait_until(lambda: len(book.elements) == 4)
    assert book.elements == list("abca")
    assert not book.over.is_set()
    book.request(2)
    assert book.wait() == "complete"
    assert "".join(book.elements) == "abcabc"


def test_what_is_before_a_section_is_not_asked_for_more_while_it_rests(system):
    taken = []

    def elements():
        for n in range(100_000):
            taken.append(n)
            yield n

    resting = Flow().map(Flaky(3)).restart(Backoff(60, 60))
    going = system.start(Source.from_iterable(elements).via(resting).to(Sink.ignore()))
    wait_until(lambda: going.snapshot().stages[1].details["resting"])
    assert len(taken) < 10_000
    wait_until(lambda: len(taken) == going.snapshot().stages[0].elements_out)
    going.cancel()
    with pytest.raises(RunCancelled):
        going.result(SECONDS)


def test_a_resting_section_ends_at_once_when_its_run_drains(system):
    going = system.start(Source.failed(OSError("x")).restart(Backoff(60, 60)).to(Sink.list()))
    wait_until(lambda: going.snapshot().stages[0].details["resting"])
    going.drain()
    assert going.result(SECONDS) == []


def test_a_section_with_an_open_input_drains_what_is_in_hand(system):
    begun = threading.Event()

    def endless():
        n = 0
        while True:
            yield n
            n += 1
            if n > 50:
                begun.set()

    flow = Source.from_iterable(endless).via(Flow().map(Flaky(5)).restart(AT_ONCE))
    going = system.start(flow.to(Sink.list()))
    assert begun.wait(SECONDS)
    going.drain()
    got = going.result(SECONDS)
    produced = going.snapshot().stages[0].elements_out
    assert sorted(got + lost(system)) == list(range(produced))


def test_a_failure_from_before_a_section_is_not_its_own(system):
    flow = Source.failed(KeyError("before")).via(Flow().map(str).restart(AT_ONCE))
    with pytest.raises(KeyError, match="before"):
        system.start(flow.to(Sink.list())).result(SECONDS)
    assert restarts(system) == []


def test_a_failure_behind_a_section_ends_it_without_a_restart(system):
    flow = Source.range(0, 100_000).via(Flow().map(abs).restart(AT_ONCE)).map(Flaky(50))
    with pytest.raises(StageError, match="at element 50"):
        system.start(flow.to(Sink.list())).result(SECONDS)
    assert list(system.dead_letters.recent()) == []


def test_a_section_that_has_enough_completes_and_cancels_upstream(system):
    flow = Source.repeat(1).via(Flow().take(3).map(abs).restart(AT_ONCE))
    assert system.start(flow.to(Sink.list())).result(SECONDS) == [1, 1, 1]
    assert list(system.dead_letters.recent()) == []


def test_enough_behind_a_section_loses_nothing_that_counts(system):
    flow = Source.repeat(1).via(Flow().map(abs).batch(3).restart(AT_ONCE)).take(2)
    assert system.start(flow.to(Sink.list())).result(SECONDS) == [[1, 1, 1], [1, 1, 1]]
    assert list(system.dead_letters.recent()) == []


def test_a_section_can_hold_junctions_and_side_sinks(system):
    seen = []
    a, b = Flow().map(Flaky(3)).also_to(Sink.for_each(seen.append)).broadcast(2)
    flow = Source.range(0, 10).via(a.merge(b).restart(AT_ONCE))
    got = Counter(system.start(flow.to(Sink.list())).result(SECONDS))
    assert all(got[n] == 2 for n in range(3))
    assert set(got) | set(lost(system)) == set(range(10))
    assert got[3] == 0


def test_sections_can_be_within_sections(system):
    inner = Flow().map(Flaky(3)).restart(AT_ONCE)
    outer = Flow().via(inner).map(Flaky(6)).restart(AT_ONCE)
    got = system.start(Source.range(0, 10).via(outer).to(Sink.list())).result(SECONDS)
    assert sorted(got + lost(system)) == list(range(10))


def test_two_stages_that_fail_together_are_one_restart_and_no_failure_of_the_run(system):
    both = threading.Barrier(2)
    scopes = []

    def meet(n):
        if len(scopes) < 2:
            scopes.append(n)
            both.wait(SECONDS)
            raise KeyError(n)
        return n

    one = Source.of(1).map(meet).with_attributes(dispatcher="pinned")
    other = Source.of(2).map(meet).with_attributes(dispatcher="pinned")
    flow = one.merge(other).restart(AT_ONCE)
    assert sorted(system.start(flow.to(Sink.list())).result(SECONDS)) == [1, 2]
    wait_until(lambda: len(restarts(system)) >= 1)


def test_two_failures_of_a_section_that_gives_up_are_both_told(system):
    both = threading.Barrier(2)

    def meet(n):
        both.wait(SECONDS)
        raise KeyError(n)

    one, other = (Source.of(n).map(meet).with_attributes(dispatcher="pinned") for n in (1, 2))
    with pytest.raises(StageError) as caught:
        system.start(one.merge(other).restart(AT_ONCE, 0).to(Sink.list())).result(SECONDS)
    assert len(caught.value.others) == 1


def test_a_section_is_not_made_anew_before_its_last_stage_has_ended(system):
    """Its first life fails while another stage of it is still in the user's code."""
    stuck, release, scopes = threading.Event(), threading.Event(), []
    failed = threading.Event()

    def slow():
        scopes.append(len(scopes))
        stuck.set()
        release.wait(SECONDS)
        yield 0

    def fail_once(n):
        assert stuck.wait(SECONDS)
        if not failed.is_set():
            failed.set()
            raise KeyError(n)
        return n

    failing = Source.of(1).map(fail_once).named("failing").with_attributes(dispatcher="pinned")
    patient = Source.from_iterable(slow).with_attributes(dispatcher="pinned")
    going = system.start(failing.merge(patient).restart(AT_ONCE).to(Sink.list()))
    assert failed.wait(SECONDS)  # from here on the stages of the section do nothing but end
    wait_until(lambda: len(system.children()) <= 3)  # section, sink, and the one that is stuck
    assert (scopes, restarts(system)) == ([0], [])
    release.set()
    assert sorted(going.result(SECONDS)) == [0, 1]
    assert len(restarts(system)) == 1


def test_upstream_is_let_go_when_a_section_without_restarts_takes_no_more_but_goes_on(system):
    released = threading.Event()

    def endless():
        try:
            while True:
                yield 1
        finally:
            released.set()

    piece = Flow().take(1).merge(Source.never()).restart(AT_ONCE, 0)
    going = system.start(Source.from_iterable(endless).via(piece).to(Sink.list()))
    assert released.wait(SECONDS)
    assert not going.done()
    going.cancel()
    assert going.wait(SECONDS)


@pytest.mark.parametrize("window", [1, 8, 1024])
def test_a_section_within_one_that_fails_accounts_for_all_it_holds(system, window):
    slow = threading.Event()

    def hold(n):
        slow.wait(0.001)  # so that the inner section holds elements when the outer one fails
        return n

    inner = Flow().map(hold).with_attributes(window=window).map(abs).restart(AT_ONCE)
    outer = Flow().map(abs).via(inner.named("inner")).map(Flaky(30)).restart(AT_ONCE)
    got = system.start(Source.range(0, 200).via(outer).to(Sink.list())).result(SECONDS)
    assert sorted(got + lost(system)) == list(range(200))


def test_a_system_exit_is_no_matter_for_a_restart():
    def leave(n):
        raise SystemExit(3)

    flow = Source.of(1).map(leave).restart(AT_ONCE)
    with pytest.raises(SystemExit):
        flow.run(Sink.list())


def test_each_run_of_a_section_counts_for_itself(system):
    flow = Source.range(0, 9).map(Flaky(calls=2)).restart(AT_ONCE, 1)
    with pytest.raises(StageError):
        system.start(flow.to(Sink.list())).result(SECONDS)
    assert system.start(flow.to(Sink.list())).result(SECONDS) == list(range(9))


@settings(max_examples=40, deadline=None)
@given(
    bad=st.sets(st.integers(0, 199), max_size=3),
    window=st.sampled_from([1, 2, 7, 64, 1024]),
    shape=st.sampled_from(["map", "two", "flat_map", "batch", "async", "partition"]),
)
def test_delivered_and_dead_letters_are_what_was_produced(bad, window, shape):
    """Whatever the section is made of, every element is accounted for once."""
    flaky = Flaky(*bad)
    piece = {
        "map": lambda: Flow().map(flaky),
        "two": lambda: Flow().filter(lambda n: True).map(flaky).map(abs),
        "flat_map": lambda: Flow().map(flaky).flat_map(lambda n: (n for _ in range(1))),
        "batch": lambda: Flow().map(flaky).batch(1),
        "async": lambda: Flow().map_async(flaky, 3),
        "partition": lambda: divided(flaky),
    }[shape]()
    section = piece.with_attributes(window=window).restart(AT_ONCE, 5)
    with ActorSystem(workers=2, shutdown_timeout=SECONDS) as system:
        got = system.start(Source.range(0, 200).via(section).to(Sink.list())).result(SECONDS)
        flat = [n for one in got for n in (one if isinstance(one, list) else [one])]
        assert sorted(flat + lost(system)) == list(range(200))
        assert bad <= set(lost(system))
        assert len(restarts(system)) <= len(bad)


def divided(flaky):
    a, b = Flow().partition(2, lambda n: flaky(n) % 2)
    return a.merge(b)


@pytest.mark.parametrize(
    ("wrong", "error", "message"),
    [
        (lambda f: f.restart(3), TypeError, "backoff must be a Backoff, got 3"),
        (lambda f: f.restart(AT_ONCE, -1), InvalidArgumentError, "max_restarts must be at least 0"),
        (lambda f: f.restart(AT_ONCE, 1, 0), InvalidArgumentError, "within must be above 0"),
        (lambda f: f.restart(Backoff(2, 1)), InvalidArgumentError, "maximum must be at least"),
        (lambda f: Flow().restart(AT_ONCE), GraphError, "an empty Flow"),
        (lambda f: f.broadcast(2)[0].restart(), GraphError, "outlet 1 of stage 'broadcast'"),
    ],
)
def test_what_makes_no_sense_is_refused_when_it_is_said(wrong, error, message):
    with pytest.raises(error, match=message):
        wrong(Source.of(1).map(abs))


def test_a_graph_with_sections_can_be_one_of_several(system):
    a, b = Source.range(0, 6).broadcast(2)
    good = a.via(Flow().map(Flaky(2)).restart(AT_ONCE))
    got, count = system.start(Graph(good.to(Sink.list()), b.to(Sink.count()))).result(SECONDS)
    assert sorted(got + lost(system)) == list(range(6))
    assert count == 6
