"""In a world, where a call lasts as long as it says: ends come when the grace is over, exactly."""

import pytest

from actors_rs import Backoff, Graph, Sink, Source
from actors_rs.errors import RunCancelled, StageError, StreamTimeoutError
from actors_rs.testing.decisions import RandomWalk
from actors_rs.testing.world import World

GRACE = 2.0
MOMENT = 0.05
CALL = 60.0
SEEDS = range(100)


class Scene:
    """A world with a function that takes a minute, and what has come of its run."""

    def __init__(self, seed):
        self.world = World(RandomWalk(seed))
        self.calls = []
        self.ended_at = None

    def slow(self, element=None):
        self.calls.append(element)
        self.world.sleep(CALL)
        return element

    def iterator(self):
        yield 1
        self.slow()

    def run(self, graph, meanwhile=lambda run: None):
        """Run ``graph`` to its end; ``meanwhile`` is called after a second."""
        run = self.world.start(graph)
        run.when_ended(self.note_end)
        self.world.system.timers.after(1.0, lambda: meanwhile(run))
        self.world.sleep(3 * CALL)
        assert run.done()
        return run

    def note_end(self):
        self.ended_at = self.world.now


def scenes():
    for seed in SEEDS:
        scene = Scene(seed)
        with scene.world:
            yield scene
        assert scene.world.system.statistics().abandoned in (0, 1)


GRAPHS = {
    "iterator": lambda s: Source.from_iterable(s.iterator).to(Sink.list()),
    "map": lambda s: Source.of(1, 2).map(s.slow).to(Sink.list()),
    "for_each": lambda s: Source.of(1, 2).to(Sink.for_each(s.slow)),
    "key": lambda s: Source.of(1, 2).group_by(s.slow, 3).flat_map(lambda g: g).to(Sink.list()),
    "inner": lambda s: Source.of(1).flat_map(lambda x: Source.of(x).map(s.slow)).to(Sink.list()),
}


@pytest.mark.parametrize("kind", GRAPHS)
def test_a_cancelled_run_ends_when_the_grace_is_over(kind):
    for scene in scenes():
        run = scene.run(GRAPHS[kind](scene), lambda run: run.cancel())
        with pytest.raises(RunCancelled):
            run.result()
        assert 1 + GRACE <= scene.ended_at <= 1 + GRACE + MOMENT
        assert len(scene.calls) == 1


def test_a_run_that_is_cancelled_with_a_grace_of_its_own():
    for scene in scenes():
        scene.run(GRAPHS["map"](scene), lambda run: run.cancel(grace=0.5))
        assert 1.5 <= scene.ended_at <= 1.5 + MOMENT


def test_a_timeout_ends_its_run_a_grace_later():
    for scene in scenes():
        run = scene.run(Source.of(1).map(scene.slow).idle_timeout(0.3).to(Sink.list()))
        with pytest.raises(StreamTimeoutError):
            run.result()
        assert 0.3 + GRACE <= scene.ended_at <= 1 + GRACE + MOMENT  # a world may notice it at 1


def test_a_failure_ends_its_run_a_grace_later():
    def fails(element):
        raise ValueError(element)

    for scene in scenes():
        first, second = Source.of(1).broadcast(2)
        graph = Graph(
            first.map(scene.slow).to(Sink.list()), second.delay(1.0).map(fails).to(Sink.list())
        )
        run = scene.run(graph)
        with pytest.raises(StageError):
            run.result()
        assert 1 + GRACE <= scene.ended_at <= 1 + GRACE + MOMENT


def test_a_run_that_has_all_it_needs_ends_a_grace_later():
    for scene in scenes():
        both = Source.of(1).merge(Source.of(2).map(scene.slow))
        run = scene.run(both.take(1).to(Sink.list()))
        assert run.result() == [1]
        assert scene.ended_at <= GRACE + MOMENT


def test_a_call_that_takes_less_than_the_grace_is_waited_for():
    for scene in scenes():
        world = scene.world

        def slow(element, world=world):
            world.sleep(2.5)
            return element

        run = scene.run(Source.of(1).map(slow).to(Sink.list()), lambda run: run.cancel())
        assert run.state in ("cancelled", "completed")
        assert scene.ended_at <= 2.5
        assert world.system.statistics().abandoned == 0


def test_a_section_begins_anew_a_grace_after_it_has_failed():
    for scene in scenes():
        tries: list[int] = []

        def fails(element, tries=tries):
            tries.append(element)
            if len(tries) == 1:
                raise ValueError(element)
            return element

        def slow(element, tries=tries, scene=scene):
            return scene.slow(element) if not tries else element

        section = Source.of(1).map(slow).merge(Source.of(2).delay(1.0).map(fails))
        run = scene.run(
            section.restart(Backoff(1.0, 1.0), max_restarts=3, within=600).to(Sink.list())
        )
        assert sorted(run.result()) == [1, 2]
        assert scene.ended_at < CALL
