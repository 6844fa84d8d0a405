# mypy: disable-error-code="misc, arg-type, attr-defined, var-annotated, no-any-return"
"""A source may block at any element: what it has given is sent on without the next one.

The sources here give an element and then block until downstream has seen it, so each test proves
that no element waits for another one.
"""

import threading
from collections.abc import Iterator

import pytest

from actors_rs import ActorSystem, Backoff, Sink, Source
from actors_rs.engine.island import AHEAD_SECONDS
from actors_rs.runtime.dispatch.timers import Timers
from tests.graph.helpers import SECONDS

BLOCKING = 20
"""How many elements are waited for."""
QUICK = [0, 1, 5_000]
"""How many come before those without a wait, and let chunks get large."""


class Watched:
    """Elements of which the last ones come only when those before have been seen downstream."""

    def __init__(self, quick: int) -> None:
        self.quick = quick
        self.seen = threading.Condition()
        self.count = 0

    def __call__(self) -> Iterator[int]:
        yield from range(self.quick)
        for n in range(self.quick, self.quick + BLOCKING):
            yield n
            with self.seen:
                if not self.seen.wait_for(lambda n=n: self.count > n, SECONDS):
                    raise AssertionError(f"element {n} was not sent on while its source blocked")

    def see(self, element: int) -> None:
        with self.seen:
            assert element == self.count, "an element was lost, doubled or out of order"
            self.count += 1
            self.seen.notify_all()


def unfolded(make):
    drawn = iter(make())
    return Source.unfold(None, lambda _: next(((n, None) for n in drawn), None))


def resource(make):
    return Source.unfold_resource(
        lambda: iter(make()), lambda drawn: next(drawn, None), lambda drawn: drawn.close()
    )


def mapped(make):
    drawn = iter(make())
    return Source.repeat(None).map(lambda _: next(drawn, None)).take_while(lambda n: n is not None)


def same(n):
    return n


def inner(stream_of, breadth=1):
    return lambda make: Source.of(0).flat_map(lambda _: stream_of(make), breadth)


def fused(make):
    return Source.from_iterable(make).map(same).map(same).filter(lambda _: True).fuse()


SHAPES = {
    "an iterable": Source.from_iterable,
    "unfold": unfolded,
    "unfold_resource": resource,
    "a function in map": mapped,
    "a fused source": fused,
    "a source beside quick stages": lambda make: Source.from_iterable(make).take(10**6).skip(0),
    "an iterable that flat_map draws": inner(lambda make: make()),
    "an iterable beside others": inner(lambda make: make(), 2),
    "an inner stream": inner(lambda make: Source.from_iterable(make)),
    "an inner stream beside others": inner(Source.from_iterable, 2),
    "an inner stream of two stages": inner(lambda make: Source.from_iterable(make).map(same)),
    "a fused inner stream": inner(fused),
    "a fused inner stream beside others": inner(fused, 2),
    "an inline stream beside others": inner(
        lambda make: Source.from_iterable(make).map(same).fuse(), 2
    ),
    "switch_map": lambda make: Source.of(0).switch_map(lambda _: Source.from_iterable(make)),
    "switch_map of a fused stream": lambda make: Source.of(0).switch_map(lambda _: fused(make)),
    "concat": lambda make: Source.from_iterable(iter([])).concat(Source.from_iterable(make)),
    "merge": lambda make: Source.from_iterable(make).merge(Source.empty()),
    "a section": lambda make: Source.from_iterable(make).map(same).restart(Backoff(0.1, 1.0)),
    "groups": lambda make: (
        Source.from_iterable(make).group_by(lambda _: 0, 1).flat_map(lambda g: g.map(same), 2)
    ),
}


@pytest.mark.parametrize("quick", QUICK)
@pytest.mark.parametrize("name", SHAPES)
def test_what_a_source_gave_is_sent_on_while_it_blocks(name, quick):
    watched = Watched(quick)
    with ActorSystem(workers=2) as system:
        graph = SHAPES[name](watched).to(Sink.for_each(watched.see))
        system.start(graph).result(6 * SECONDS)
    assert watched.count == quick + BLOCKING


def test_idle_timeout_sees_each_element_of_a_source_that_blocks():
    watched = Watched(5_000)
    stream = Source.from_iterable(watched).idle_timeout(SECONDS / 2)
    with ActorSystem(workers=2) as system:
        system.start(stream.to(Sink.for_each(watched.see))).result(6 * SECONDS)
    assert watched.count == 5_000 + BLOCKING


def test_debounce_gives_each_element_that_its_source_lets_stand():
    watched = Watched(0)
    stream = Source.from_iterable(watched).debounce(0.02)
    with ActorSystem(workers=2) as system:
        system.start(stream.to(Sink.for_each(watched.see))).result(6 * SECONDS)
    assert watched.count == BLOCKING, "what came before the next element was dropped"


def test_a_look_leaves_half_of_the_10_ms_to_the_threads_that_carry_an_element(looks):
    watched = Watched(7)
    with ActorSystem(workers=2) as system:
        graph = Source.from_iterable(watched).to(Sink.for_each(watched.see))
        system.start(graph).result(6 * SECONDS)
    assert 0 < looks[0] <= 0.005


def test_an_element_behind_a_long_wait_needs_no_further_look_at_its_stage(monkeypatch):
    """The looks at a turn that lasts get far apart: here those never happen."""
    after, far, seen = Timers.after, threading.Event(), threading.Event()

    class Never:
        def cancel(self):
            pass

    def no_far_looks(timers, seconds, callback):
        if getattr(callback, "__name__", "") == "_look_at_turn" and seconds > AHEAD_SECONDS:
            far.set()
            return Never()
        return after(timers, seconds, callback)

    def elements():
        yield from range(5_000)
        assert far.wait(SECONDS)
        yield 5_000
        assert seen.wait(SECONDS), "the element waited for the next one"

    monkeypatch.setattr(Timers, "after", no_far_looks)
    with ActorSystem(workers=2) as system:
        graph = Source.from_iterable(elements).filter(lambda n: n == 5_000)
        system.start(graph.to(Sink.for_each(lambda _: seen.set()))).result(6 * SECONDS)
