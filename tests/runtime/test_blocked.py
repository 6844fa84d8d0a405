# mypy: disable-error-code="misc, arg-type, var-annotated, no-any-return, no-untyped-def"
"""The advice to use ``map_async``, or to pin: for functions that block, not for all that lasts."""

import threading

import pytest

from actors_rs import ActorSystem, PooledActor, Sink, Source, merge
from actors_rs.engine import member
from actors_rs.runtime.actors import actor_core, slow_turns
from actors_rs.runtime.dispatch import blocked
from actors_rs.runtime.dispatch.blocked import Glimpse, Look
from tests.graph.helpers import SECONDS, wait_until


def advice(caplog):
    return [r.getMessage() for r in caplog.records if "blocked a pool thread" in r.getMessage()]


class Clocks:
    """What a glimpse reads: the time, the processor time of a thread, and of the process."""

    def __init__(self, monkeypatch):
        self.now = self.thread = self.process = 0.0
        monkeypatch.setattr(blocked, "monotonic", lambda: self.now)
        monkeypatch.setattr(blocked, "cpu_seconds", lambda: self.process)

    def judged(self, thread, process, function="mine.f (mine.py:1)", seconds=1.0):
        """Whether a turn of so many seconds blocked, that was seen 0.9 s before its end."""
        look = Look(threading.get_ident(), 1, lambda: self.thread)
        glimpse = Glimpse(look, Clocks.judged.__code__, self)
        glimpse.function = function
        self.now += 0.9
        self.thread += thread
        self.process += process
        return glimpse.shows_blocking(seconds)


@pytest.mark.parametrize(
    ("thread", "process", "function", "blocks"),
    [
        (0.01, 0.01, "f", True),  # it blocks
        (0.01, 0.4, "f", True),  # others compute a little
        (0.9, 0.9, "f", False),  # it computes
        (0.1, 0.1, "f", False),  # it computes, on a machine that has too much to do
        (0.0, 0.9, "f", False),  # it may have waited for the interpreter's lock
        (0.0, 0.0, "", False),  # no function of the user's: a stage of the library waits for a disk
    ],
)
def test_only_a_turn_without_processor_time_blocks(monkeypatch, thread, process, function, blocks):
    assert Clocks(monkeypatch).judged(thread, process, function) == blocks


@pytest.mark.parametrize("seconds", [0.8, 3.0])
def test_a_turn_that_was_hardly_looked_at_and_an_earlier_one_are_not_judged(monkeypatch, seconds):
    assert not Clocks(monkeypatch).judged(0.0, 0.0, "f", seconds)


class Blocked:
    """A glimpse of a turn that a waiting function has filled."""

    function = "mine.f (mine.py:1)"

    def shows_blocking(self, seconds):
        return True


@pytest.mark.parametrize(
    ("turns", "told"),
    [([0.2], 0), ([0.2, 0.2], 1), ([0.6], 1), ([3.0], 1), ([3.0, 3.0, 0.2], 1)],
)
def test_one_call_of_half_a_second_is_told_and_a_shorter_one_when_it_comes_again(
    caplog, turns, told
):
    actor = fresh(Blocks)()
    for seconds in turns:
        actor._glimpse_ = Blocked()
        actor._turn_was_slow_(seconds)
    assert len(advice(caplog)) == told
    assert all(Blocked.function in said for said in advice(caplog))


@pytest.fixture
def no_processor_time(monkeypatch):
    monkeypatch.setattr(blocked, "cpu_seconds", lambda: 0.0)
    monkeypatch.setattr(blocked, "USED_IF_BLOCKED", 1e9)


@pytest.fixture
def once_is_enough(monkeypatch, no_processor_time):
    """Any turn that is looked at is a slow one, and one is enough."""
    monkeypatch.setattr(member, "SLOW_TURN_SECONDS", -1.0)
    monkeypatch.setattr(slow_turns, "VERY_SLOW_TURN_SECONDS", -1.0)
    monkeypatch.setattr(blocked, "SEEN_IF_BLOCKED", 0.0)


@pytest.fixture
def seen(monkeypatch):
    """Set when a turn has been looked at in which a function of this module was."""
    seen = threading.Event()
    init = Glimpse.__init__

    def looked(glimpse, look, turn, owner):
        init(glimpse, look, turn, owner)
        if __name__ in glimpse.function:
            owner._glimpse_ = glimpse  # before the function returns
            seen.set()

    monkeypatch.setattr(Glimpse, "__init__", looked)
    return seen


def takes(f):
    """What calls its argument ``f`` in the stage itself."""
    return {
        "map": lambda s: s.map(f),
        "filter": lambda s: s.filter(f),
        "flat_map": lambda s: s.flat_map(lambda n: [f(n)]),
        "group_by": lambda s: s.group_by(f, 4).flat_map(lambda group: group, breadth=4),
        "partition": lambda s: merge(*s.partition(2, f)),
        "sort_within": lambda s: s.sort_within(2, key=f),
        "max": lambda s: s.max(key=f),
        "divert_to": lambda s: s.divert_to(Sink.ignore(), f),
        "scan": lambda s: s.scan(0, lambda total, n: f(n)),
        "map_async": lambda s: s.map_async(lambda n: n, 2, key=f),
        "for_each": lambda s: s.also_to(Sink.for_each(f)),
        "fuse": lambda s: s.map(f).filter(lambda n: True).fuse(),
        "on_failure": lambda s: s.map(lambda n: 1 // n).on_failure(decider=lambda *_: resumes(f)),
    }


def resumes(f):
    f(0)
    return "resume"


@pytest.mark.usefixtures("once_is_enough")
@pytest.mark.parametrize("operator", takes(None))
def test_one_call_that_blocks_is_named_with_its_stage_and_its_line(caplog, seen, operator):
    def waits_for_a_server(n):
        assert seen.wait(SECONDS)
        return 0

    with ActorSystem(workers=2) as system:
        stream = takes(waits_for_a_server)[operator](Source.of(0))
        system.start(stream.to(Sink.ignore())).result(SECONDS)
    (said,) = advice(caplog)
    assert said.startswith("stage '")
    assert f"{__file__}:" in said
    assert said.endswith("use map_async or with_attributes(dispatcher='pinned')")


@pytest.mark.usefixtures("no_processor_time")
def test_a_function_that_blocks_for_a_moment_is_named_when_it_does_so_again_and_once(
    monkeypatch, caplog, seen
):
    monkeypatch.setattr(member, "SLOW_TURN_SECONDS", -1.0)
    monkeypatch.setattr(blocked, "SEEN_IF_BLOCKED", 0.0)
    said = []

    def waits_for_a_server(n):
        said.append(len(advice(caplog)))
        seen.clear()
        assert seen.wait(SECONDS)

    with ActorSystem(workers=2, window=1) as system:
        system.start(Source.range(0, 5).to(Sink.for_each(waits_for_a_server))).result(SECONDS)
    assert said[:2] == [0, 0]
    assert len(advice(caplog)) == 1


def test_a_computation_and_map_async_are_not_advised(monkeypatch, caplog):
    monkeypatch.setattr(member, "SLOW_TURN_SECONDS", -1.0)
    monkeypatch.setattr(slow_turns, "VERY_SLOW_TURN_SECONDS", -1.0)
    with ActorSystem(workers=2) as system:
        numbers = Source.range(0, 200).map(lambda n: sum(range(20_000)))
        system.start(numbers.to(Sink.list())).result(SECONDS)
        gate = threading.Event()
        slow = Source.range(0, 4).map_async(lambda n: gate.wait(SECONDS), 4)
        run = system.start(slow.to(Sink.ignore()))
        wait_until(lambda: stage_details(run)["under_way"] == 4)
        gate.set()
        run.result(SECONDS)
    assert advice(caplog) == []


def stage_details(run):
    return next((s.details for s in run.snapshot().stages if "map_async" in s.name), None) or {
        "under_way": 0
    }


class Blocks(PooledActor):
    def on_receive(self, seen):
        return seen.wait(SECONDS)

    def called(self, seen):
        return seen.wait(SECONDS)


@pytest.fixture
def every_turn_is_slow(monkeypatch, no_processor_time):
    monkeypatch.setattr(actor_core, "SLOW_TURN_SECONDS", -1.0)
    monkeypatch.setattr(actor_core, "TURN_SECONDS", 0.0)
    monkeypatch.setattr(blocked, "SEEN_IF_BLOCKED", 0.0)


def ask_for(kind, ask, seen, times=3):
    with ActorSystem(workers=2) as system:
        for ref in (system.spawn(kind), system.spawn(kind)):
            for _ in range(times):
                seen.clear()
                ask(ref)


def fresh(kind):
    """A class that has not been advised yet."""
    return type(kind.__name__, (kind,), {})


@pytest.mark.usefixtures("every_turn_is_slow")
@pytest.mark.parametrize(
    ("ask", "function"),
    [
        (lambda ref, seen: ref.ask(seen, timeout=SECONDS), "on_receive"),
        (lambda ref, seen: ref.proxy().called(seen).get(timeout=SECONDS), "called"),
    ],
)
def test_a_handler_that_blocks_again_is_named_once_for_its_class(caplog, seen, ask, function):
    ask_for(fresh(Blocks), lambda ref: ask(ref, seen), seen)
    (said,) = advice(caplog)
    assert said.startswith("Blocks (urn:uuid:")
    assert f": tests.runtime.test_blocked.Blocks.{function} (" in said
    assert said.endswith(" ms: set dispatcher = 'pinned'")


@pytest.mark.usefixtures("every_turn_is_slow")
def test_a_handler_that_is_slow_once_is_not_advised(caplog, seen):
    ask_for(fresh(Blocks), lambda ref: ref.ask(seen, timeout=SECONDS), seen, times=1)
    assert advice(caplog) == []


@pytest.mark.usefixtures("every_turn_is_slow")
def test_a_pinned_actor_is_not_looked_at(caplog, seen):
    class Pinned(Blocks):
        dispatcher = "pinned"

    gate = threading.Event()
    gate.set()
    ask_for(Pinned, lambda ref: ref.ask(gate, timeout=SECONDS), seen)
    assert advice(caplog) == []
