# mypy: disable-error-code="var-annotated, no-any-return, operator"
"""What a stage has collected is let go of when it ends, though somebody keeps the run."""

import gc
import weakref

import pytest

from actors_rs import ActorSystem, Graph, Sink, Source, merge
from tests.graph.helpers import SECONDS, wait_until


@pytest.fixture
def system():
    with ActorSystem(workers=2, shutdown_timeout=SECONDS) as system:
        yield system


LIVING = weakref.WeakSet()


class Number:
    """An element that can be added, compared and watched."""

    def __init__(self, n):
        self.n = n
        LIVING.add(self)

    def __lt__(self, other):
        return self.n < other.n

    def __add__(self, other):
        return Number(self.n + (other if isinstance(other, int) else other.n))

    __radd__ = __add__

    def __truediv__(self, number):
        return Number(self.n // number)


def numbers(count=50):
    return Source.range(0, count).map(Number)


def newest(one, other):
    return other


FLOWS = {
    "average": lambda flow: flow.average(),
    "batch": lambda flow: flow.batch(7),
    "buffer": lambda flow: flow.buffer(5, "drop_oldest"),
    "combine_latest": lambda flow: flow.combine_latest(numbers()),
    "conflate": lambda flow: flow.conflate(lambda one: one, newest),
    "debounce": lambda flow: flow.debounce(60.0),
    "distinct": lambda flow: flow.distinct(),
    "distinct, recent": lambda flow: flow.distinct(window=5),
    "distinct_until_changed": lambda flow: flow.distinct_until_changed(),
    "expand": lambda flow: flow.expand(lambda one: [one]),
    "fused": lambda flow: flow.map(lambda one: one).distinct().scan(None, newest).fuse(),
    "last": lambda flow: flow.last(),
    "map_async": lambda flow: flow.map_async(lambda one: one, 2, key=lambda one: one.n % 2),
    "merge_sorted": lambda flow: flow.merge_sorted(numbers()),
    "min": lambda flow: flow.min(),
    "reduce": lambda flow: flow.reduce(None, newest),
    "reduce_without_initial": lambda flow: flow.reduce_without_initial(newest),
    "sample": lambda flow: flow.sample(60.0),
    "scan": lambda flow: flow.scan(None, newest),
    "sliding": lambda flow: flow.sliding(7),
    "sort_within": lambda flow: flow.sort_within(5),
    "stateful_map": lambda flow: flow.stateful_map(list, lambda s, one: ([*s, one], one)),
    "sum": lambda flow: flow.sum(),
    "throttle": lambda flow: flow.throttle(10, 60.0),
    "zip_latest": lambda flow: flow.zip_latest(numbers()),
}
ENDINGS = [
    (name, ends)
    for name in FLOWS
    for ends in ("by itself", "early", "cancelled")
    if (name, ends) != ("throttle", "by itself")  # takes five minutes
]
SINKS = {
    "first": Sink.first,
    "fold": lambda: Sink.fold(None, newest),
    "last": Sink.last,
    "list": Sink.list,
    "sum": Sink.sum,
}


def none_is_left():
    gc.collect()
    return not LIVING


def goes_on(flow):
    return merge(flow, Source.never())


@pytest.mark.parametrize(("name", "ends"), ENDINGS)
def test_a_run_that_is_kept_behind_its_end_keeps_no_element(system, name, ends):
    flow = FLOWS[name](numbers() if ends == "by itself" else goes_on(numbers()))
    run = system.start((flow.take(1) if ends == "early" else flow).to(Sink.ignore()))
    if ends != "by itself":
        wait_until(lambda: run.done() or run.snapshot().stages[0].state == "ended")
        run.cancel()
    assert run.wait(SECONDS)
    wait_until(none_is_left)


@pytest.mark.parametrize("name", SINKS)
def test_a_sink_without_a_result_keeps_no_element(system, name):
    run = system.start(goes_on(numbers().skip(1)).to(SINKS[name]()))
    if name == "first":
        run.result(SECONDS)
        del run
    else:
        wait_until(lambda: run.snapshot().stages[-1].elements_in == 49)
        run.cancel()
        assert run.wait(SECONDS)
    wait_until(none_is_left)


def test_a_stage_that_has_ended_keeps_no_element_while_its_run_goes_on(system):
    ended = numbers().distinct().named("ended").to(Sink.count())
    run = system.start(Graph(ended, Source.never().to(Sink.ignore())))
    wait_until(lambda: run.snapshot().stages[3].state == "ended")
    wait_until(none_is_left)
    assert run.state == "running"
    run.cancel()


def test_the_figures_of_what_was_collected_stand_behind_the_end(system):
    graph = numbers().map(lambda one: one.n).distinct().to(Sink.count())
    run = system.start(graph)
    assert run.result(SECONDS) == 50
    wait_until(none_is_left)
    assert next(s for s in run.snapshot().stages if s.kind == "distinct").details == {"keys": 50}
