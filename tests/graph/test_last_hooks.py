# mypy: disable-error-code="var-annotated, misc"
"""Hooks that raise when a stage is about to end, or has ended: its run ends all the same."""

import pytest

from actors_rs import ActorSystem, Sink, Source
from actors_rs.errors import StageError
from actors_rs.stages.passing import PassThrough
from actors_rs.testing.explore import Plan, check_scenario
from actors_rs.testing.faults import KINDS, Fault
from tests.graph.helpers import SECONDS

ORDINARY = ("exception", "StopIteration", "RecursionError", "CancelledError")
FATAL = sorted(set(KINDS) - set(ORDINARY))


def raising(hook, kind, most=None):
    """A logic whose ``hook`` raises, at most so many times."""
    raised = []

    def fail(self):
        if most is None or len(raised) < most:
            raised.append(kind)
            raise KINDS[kind]("injected")
        return super(Logic, self).finished

    class Logic(PassThrough):
        within = True

    setattr(Logic, hook, property(fail) if hook == "finished" else fail)
    return Logic


def alone(kind):
    return Source.range(0, 50).then("mine", kind)


def within(kind):
    """As an inner stream in the actor of the stage that attached it."""
    return Source.of(1).flat_map(lambda x: Source.range(0, 50).then("mine", kind))


def beside(kind):
    """As an inner stream in an actor of its own, beside others."""
    return Source.range(0, 2).flat_map(lambda x: alone(kind).map(abs), breadth=2)


def fused(kind):
    return alone(kind).fuse()


WAYS = {way.__name__: way for way in (alone, within, beside, fused)}
in_each_way = pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)


def results(flow):
    with ActorSystem(workers=2, shutdown_timeout=2) as system:
        run = system.start(flow.to(Sink.list()))
        assert run.wait(SECONDS)
        return run.result()


@in_each_way
@pytest.mark.parametrize("kind", ORDINARY)
def test_a_stage_that_cannot_tell_whether_it_has_finished_fails_its_run(way, kind):
    with pytest.raises(StageError, match=r"stage 'mine(#1)?' failed: .*injected"):
        results(way(raising("finished", kind)))


@pytest.mark.parametrize("kind", FATAL)
def test_what_ends_a_system_does_so_when_it_is_asked_whether_a_stage_has_finished(kind):
    with pytest.raises(type(KINDS[kind](""))):
        results(alone(raising("finished", kind)))


@in_each_way
def test_a_stage_that_could_not_tell_once_is_over_in_every_order(way):
    def scenario(world):
        run = world.start(way(raising("finished", "exception", most=1)).to(Sink.list()))
        run.wait()
        with pytest.raises(StageError) as caught:
            run.result()
        assert type(caught.value.__cause__) is Fault

    check_scenario(scenario, Plan(runs=200))


def test_a_stage_that_had_failed_and_cannot_tell_is_no_second_failure():
    class Failing(raising("finished", "exception")):
        def pass_on(self, budget):
            if self.inlet.buffered:
                raise KeyError(3)

    def scenario(world):
        run = world.start(Source.range(0, 9).then("mine", Failing).to(Sink.list()))
        with pytest.raises(StageError, match="KeyError: 3"):
            run.result()
        letters = world.system.dead_letters.recent()
        assert [type(one.error) for one in letters] == [Fault]

    check_scenario(scenario, Plan(runs=50))


@in_each_way
@pytest.mark.parametrize("kind", sorted(KINDS))
def test_a_stage_that_holds_on_to_something_behind_its_end_harms_no_run(way, kind):
    def scenario(world):
        world.start(way(raising("release_held", kind)).to(Sink.list())).result()
        letters = [one.error for one in world.system.dead_letters.recent()]
        assert letters
        assert {type(one) for one in letters} == {type(KINDS[kind](""))}

    check_scenario(scenario, Plan(runs=20))
