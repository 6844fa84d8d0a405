# mypy: disable-error-code="var-annotated, arg-type"
"""Restartable sections of every kind, nested too: each element comes out or is a dead letter, once.

What was produced is given, or reported because its section failed, in every order the search finds
and with every size of the windows. The failures of a life are dead letters without an element.
"""

from collections import Counter

import pytest

from actors_rs import Flow, Sink, Source
from actors_rs.runtime.supervision.backoff import Backoff
from actors_rs.testing.explore import explore
from tests.explored.scenario import settle

RUNS = 80
COUNT = 9
WAIT = Backoff(1.0, 1.0, jitter=0)


class Flaky:
    """A function that raises once for each of some elements."""

    def __init__(self, *bad):
        self.bad = set(bad)

    def __call__(self, x):
        if x in self.bad:
            self.bad.remove(x)
            raise KeyError(x)
        return x


def anew(flow):
    return flow.restart(WAIT, max_restarts=9)


def divided(flow):
    even, odd = flow.partition(2, lambda n: n % 2)
    return even.map(int).merge(odd)


SECTIONS = {
    "one stage": lambda: anew(Flow().map(Flaky(2, 5))),
    "the last stage fails": lambda: anew(Flow().map(int).map(Flaky(2, 5))),
    "the first stage fails": lambda: anew(Flow().map(Flaky(2, 5)).map(int)),
    "fused": lambda: anew(Flow().filter(lambda n: True).map(Flaky(2, 5)).fuse()),
    "fused, and one behind": lambda: anew(Flow().map(int).map(abs).fuse().map(Flaky(2, 5))),
    "behind a stage that was restarted by itself": lambda: anew(
        Flow().map(Flaky(2)).on_failure("restart").map(Flaky(5))
    ),
    "a batch": lambda: anew(Flow().batch(2).flat_map(lambda b: b).map(Flaky(2, 5))),
    "lists": lambda: anew(Flow().flat_map(lambda n: [n]).map(Flaky(2, 5))),
    "lists, merged": lambda: anew(
        Flow().batch(3).flat_map(Source.from_iterable, breadth=2).map(Flaky(2, 5))
    ),
    "asynchronous": lambda: anew(Flow().map_async(Flaky(2), 2).map(Flaky(5))),
    "branches": lambda: anew(divided(Flow().map(int)).map(Flaky(2, 5))),
    "within, and the outer fails": lambda: anew(Flow().via(anew(Flow().map(int))).map(Flaky(2, 5))),
    "within, of two stages, and the outer fails": lambda: anew(
        Flow().map(int).via(anew(Flow().map(int).map(abs))).map(Flaky(2, 5))
    ),
    "within, and both fail": lambda: anew(
        Flow().via(anew(Flow().map(Flaky(2)).map(int))).map(Flaky(5))
    ),
    "within, and what is before fails": lambda: anew(
        Flow().map(Flaky(4)).via(anew(Flow().map(Flaky(2)).map(int)))
    ),
    "within, and the inner one gives up": lambda: anew(
        Flow().map(int).via(Flow().map(Flaky(2, 5)).map(int).restart(WAIT, max_restarts=0))
    ),
    "thrice": lambda: anew(
        Flow().via(anew(Flow().via(anew(Flow().map(Flaky(2)))).map(Flaky(4)))).map(Flaky(6))
    ),
}


@pytest.mark.parametrize("make", SECTIONS.values(), ids=SECTIONS.keys())
@explore(runs=RUNS, window=(7, 2, 1))
def test_every_element_comes_out_or_is_a_dead_letter_once(world, make):
    got = world.start(Source.range(0, COUNT).via(make()).to(Sink.list())).result()
    lost = [one.what for one in world.system.dead_letters.recent() if one.what is not None]
    lost = [n for what in lost for n in (what if isinstance(what, list) else [what])]
    assert Counter(got) + Counter(lost) == Counter(range(COUNT)), f"given {got}, reported {lost}"
    settle(world)


STREAMS = {
    "one after the other": lambda f: Flow().flat_map(f),
    "merged": lambda f: Flow().flat_map(f, breadth=2),
}
PARTS = {
    "actors": lambda n: Source.of(n, -n).map(int),
    "within": lambda n: Source.from_iterable(lambda: iter([n, -n])),
    "lists": lambda n: [n, -n],
    "ranges": lambda n: range(n, -n - 1, -2 * n),
    "generators": lambda n: (x for x in (n, -n)),
}


@pytest.mark.parametrize("streams", STREAMS.values(), ids=STREAMS.keys())
@pytest.mark.parametrize("part", PARTS.values(), ids=PARTS.keys())
@explore(runs=RUNS, window=(7, 2, 1))
def test_an_element_of_which_not_all_came_out_is_a_dead_letter_or_the_rest_is(world, part, streams):
    """Nobody knows the rest of a stream that was cut off, so its element is reported."""
    elements = range(1, COUNT + 1)
    section = anew(streams(part).map(Flaky(2, -5)))
    got = world.start(Source.from_iterable(elements).via(section).to(Sink.list())).result()
    lost = [one.what for one in world.system.dead_letters.recent() if one.what is not None]
    told = f"given {got}, reported {lost}"
    assert len(set(got)) == len(got), told
    for n in elements:
        assert n in lost or {n, -n} <= {*got, *lost}, f"{n}: {told}"
    settle(world)
