# mypy: disable-error-code="no-untyped-def, no-untyped-call"
"""What ``flat_map`` takes for being in hand when its run drains."""

from concurrent.futures import Future
from itertools import count
from typing import Any

import pytest

from actors_rs import ActorSystem, Sink, Source
from actors_rs.stages.operators.flat_map import FlatMap
from tests.graph.helpers import SECONDS
from tests.stages.harness import Alone


class Drained:
    """Elements that lie before ``flat_map`` when its run is drained, in the midst of the second."""

    def __init__(self, rows):
        self.started, self.rows = Future[Any](), rows

    def rows_of(self, n):
        for k in self.rows:
            if (n, k) == (1, 1):
                self.started.result(SECONDS).drain()
            yield (n, k)

    def by(self, name, f):
        with ActorSystem(workers=2, window=16, shutdown_timeout=SECONDS) as system:
            flow = getattr(Source.of(0, 1, 2), name)(f)
            run = system.start(flow.to(Sink.list()))
            self.started.set_result(run)
            return run.result(SECONDS)

    def run_of(self, flow):
        """The run of ``flow``, which has ended, and so has its system, which has logged it."""
        with ActorSystem(workers=2, window=16, shutdown_timeout=SECONDS) as system:
            run = system.start(flow.to(Sink.list()))
            self.started.set_result(run)
            run.result(SECONDS)
        return run


by_both_names = pytest.mark.parametrize("name", ["flat_map", "concat_map"])


@by_both_names
def test_rows_that_a_generator_makes_of_elements_in_hand_are_all_given_when_the_run_drains(name):
    drained = Drained(range(3))
    assert drained.by(name, drained.rows_of) == [(n, k) for n in range(3) for k in range(3)]


@by_both_names
def test_a_source_that_has_no_end_gives_no_more_when_the_run_drains(name):
    drained = Drained(count())
    rows = drained.by(
        name,
        lambda n: Source.from_iterable(lambda: drained.rows_of(n) if n == 1 else iter([(n, 0)])),
    )
    assert rows[:3] == [(0, 0), (1, 0), (1, 1)]
    assert all(n == 1 for n, _ in rows[3:])


@pytest.mark.parametrize("breadth", [None, 3])
def test_the_log_and_the_snapshot_count_the_inner_streams_that_a_drain_cut(breadth, caplog):
    drained = Drained(count())
    flow = Source.of(1).flat_map(
        lambda n: Source.from_iterable(lambda: drained.rows_of(n)), breadth=breadth
    )
    with caplog.at_level("INFO", "actors_rs.graph"):
        run = drained.run_of(flow)
    assert sum(stage.details.get("cut", 0) for stage in run.snapshot().stages) == 1
    assert "that cut 1 inner stream, perhaps before its end. What was cut" in caplog.text


def test_the_log_tells_streams_that_a_drain_cut_in_the_middle_from_those_that_had_not_begun(caplog):
    drained = Drained(count())

    def rows(n):
        return Source.from_iterable(lambda: drained.rows_of(n)) if n == 1 else Source.never()

    with caplog.at_level("INFO", "actors_rs.graph"):
        drained.run_of(Source.of(2, 3, 1).flat_map(rows, breadth=3))
    assert "cut 1 inner stream, perhaps before its end, and 2 before their first" in caplog.text


@pytest.mark.parametrize("rest", [list, tuple, iter])
def test_what_is_held_behind_the_end_is_told_as_often_as_it_is_asked(rest):
    alone = Alone(FlatMap(lambda x: rest([x, x, x])))
    alone.logic.chunk.size = 2  # both elements are one chunk, and the second one is not begun
    alone.request(1).push(1, 2).cancel()
    first, again = (tuple(alone.logic.held()) for _ in range(2))
    assert first == again
    assert first == (1, 1, 2)
