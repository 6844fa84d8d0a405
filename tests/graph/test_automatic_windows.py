# mypy: disable-error-code="no-untyped-def, var-annotated"
"""Windows that follow the pace of their stage and the weight of what comes to it."""

import gc
import threading
from time import monotonic

import pytest

from actors_rs import ActorSystem, Sink, Source
from actors_rs.errors import ArgumentTypeError, InvalidArgumentError
from tests.runtime.support import eventually

MIB = 2**20


@pytest.fixture
def system():
    with ActorSystem(window="auto") as system:
        yield system


def windows(run):
    return {stage.name: stage.window for stage in run.snapshot().stages}


class Heavy:
    """An element of a mebibyte; how many there are at a time is counted."""

    lock = threading.Lock()
    alive = most = 0

    def __init__(self, _):
        self.nbytes = MIB
        with Heavy.lock:
            Heavy.alive += 1
            Heavy.most = max(Heavy.most, Heavy.alive)

    nbytes = 0

    def __del__(self):
        with Heavy.lock:
            Heavy.alive -= 1


def test_a_fast_stage_before_a_slow_one_makes_no_more_heavy_elements_than_both_links_hold(system):
    Heavy.alive = Heavy.most = 0
    pause = threading.Event()

    def slow(heavy):
        pause.wait(0.0005)
        return heavy.nbytes

    graph = Source.range(0, 1000).map(Heavy).map(slow).to(Sink.sum())
    assert system.start(graph).result(timeout=60) == 1000 * MIB
    gc.collect()
    assert Heavy.most <= 40


def test_a_stage_of_fifty_milliseconds_is_drained_within_a_second(system):
    pause, calls = threading.Event(), []

    def slow(n):
        calls.append(n)
        pause.wait(0.05)
        return n

    graph = Source.range(0, 10**9).map(lambda n: n).map(slow).to(Sink.count())
    run = system.start(graph)
    eventually(lambda: len(calls) > 8)
    called, began = len(calls), monotonic()
    run.drain()
    run.result(timeout=30)
    assert len(calls) - called <= 20, "a second's worth of calls"
    assert monotonic() - began < 10, "and nothing else to wait for"


def test_a_fast_stream_comes_to_the_same_windows_as_a_fixed_one(system):
    gate = threading.Event()
    last = 2_000_000

    def hold(n):
        if n == last - 1:
            gate.wait(30)
        return n

    run = system.start(Source.range(0, last).map(lambda n: n).map(hold).to(Sink.ignore()))
    try:
        eventually(lambda: max(windows(run).values()) == 4096)
    finally:
        gate.set()
    run.result(timeout=60)


def test_a_number_that_the_user_gives_stays_that_number(system):
    gate = threading.Event()

    def hold(n):
        gate.wait(30)
        return n

    flow = Source.range(0, 10**6).map(hold).named("held").with_attributes(window=100)
    run = system.start(flow.to(Sink.count()))
    try:
        eventually(lambda: run.snapshot().stages[1].buffered == 99)
        assert windows(run)["held"] == 100
    finally:
        gate.set()
        run.cancel()


def test_a_number_that_the_user_gives_to_a_source_stays_that_number(system):
    gate = threading.Event()
    source = Source.range(0, 10**6).with_attributes(window=100)
    flow = source.map(lambda n: n).named("next").map(lambda n: gate.wait(30)).named("held")
    run = system.start(flow.flat_map(lambda n: [n]).named("lists").to(Sink.count()))
    try:
        eventually(lambda: run.snapshot().stages[2].buffered == 99)
        assert windows(run) == {"range": 0, "next": 100, "held": 100, "lists": 100, "count": 8}
    finally:
        gate.set()
        run.cancel()


def test_a_system_has_automatic_windows_unless_a_number_is_given():
    gate = threading.Event()
    with ActorSystem() as system:
        run = system.start(Source.range(0, 10**6).map(lambda n: gate.wait(30)).to(Sink.count()))
        try:
            eventually(lambda: run.snapshot().stages[1].buffered == 7)
            assert windows(run)["map"] == 8
        finally:
            gate.set()
            run.cancel()


def test_one_stage_of_a_system_with_fixed_windows_may_have_an_automatic_one():
    with ActorSystem(window=512) as system:
        gate = threading.Event()
        flow = Source.range(0, 10**6).map(lambda n: gate.wait(30)).named("held")
        run = system.start(flow.with_attributes(window="auto").to(Sink.count()))
        try:
            eventually(lambda: run.snapshot().stages[1].buffered == 7)
            assert windows(run) == {"range": 0, "held": 8, "count": 512}
        finally:
            gate.set()
            run.cancel()


def test_the_weight_that_the_user_says_bounds_the_window(system):
    asked = []

    def weight(n):
        asked.append(n)
        return 4 * MIB

    gate = threading.Event()
    last = 5_000
    flow = Source.range(0, last).map(lambda n: n if n < last - 1 else gate.wait(30))
    run = system.start(flow.with_attributes(weight=weight).to(Sink.ignore()))
    try:
        eventually(lambda: run.snapshot().stages[1].elements_in == last)
        assert windows(run)["map"] == 4
        assert asked
    finally:
        gate.set()
    run.result(timeout=30)


def test_a_weight_that_raises_is_a_dead_letter_and_the_element_goes_on(system):
    def weight(n):
        raise OSError("no scales")

    flow = Source.range(0, 100).map(lambda n: n).with_attributes(weight=weight)
    assert system.start(flow.to(Sink.count())).result(timeout=30) == 100
    letter = system.dead_letters.recent()[0]
    assert "no scales" in str(letter.error)
    assert "the element goes on" in letter.why


@pytest.mark.parametrize("batch", [100, 1000])
def test_branches_that_meet_again_hold_what_one_of_them_gathers(system, batch):
    one, other = Source.range(0, 3000).broadcast(2)
    gathered = other.batch(batch).flat_map(lambda elements: elements)
    pairs = one.map(lambda n: n).zip(gathered).to(Sink.list())
    assert system.start(pairs).result(timeout=30) == [(n, n) for n in range(3000)]


def test_a_delay_holds_all_that_comes_within_it(system):
    elements = system.start(Source.range(0, 3000).delay(0.05).to(Sink.count()))
    assert elements.result(timeout=30) == 3000


def test_inner_streams_have_automatic_windows_too(system):
    gate = threading.Event()
    flow = Source.of(1).flat_map(
        lambda _: Source.range(0, 10**6).map(lambda n: n).map(lambda n: gate.wait(30))
    )
    run = system.start(flow.to(Sink.count()))
    try:
        eventually(lambda: any(s.kind == "map" and s.buffered for s in run.snapshot().stages))
        assert {s.window for s in run.snapshot().stages if s.kind == "map"} == {8}
    finally:
        run.cancel()
        gate.set()


@pytest.mark.parametrize("window", ["automatic", 0, -1, 1.5, True, None])
def test_a_window_that_is_neither_a_number_nor_automatic_is_refused(window):
    with pytest.raises((InvalidArgumentError, ArgumentTypeError), match="window"):
        ActorSystem(window=window)


def test_a_weight_that_is_no_function_is_refused():
    with pytest.raises(ArgumentTypeError, match="weight must be callable"):
        Source.of(1).map(str).with_attributes(weight=1000)  # type: ignore[arg-type]
