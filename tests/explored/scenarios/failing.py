# mypy: disable-error-code="var-annotated, arg-type, union-attr"
"""What comes instead of a failure, and groups that fail their run."""

from actors_rs import Sink
from actors_rs.errors import Stalled, TooManyGroupsError
from tests.explored.scenario import Case, Scenario, Sources, failure_of, part_of, settle


def again(error):
    raise error


CASES = {
    "nothing to catch": Case(lambda up: up(range(4)).catch(again), range(4)),
    "recover": Case(
        lambda up: up(range(4)).map(lambda x: 2 // (2 - x)).recover(lambda _: 7),
        [1, 2, 7],
        ways=("result", "free", "exact", "drain"),
    ),
}


def cancelled_around_a_recovery(world):
    """What comes instead of a failure ends with its run, at whatever moment that is cancelled."""
    sources, got = Sources(), []
    broken = sources(range(4)).map(lambda x: 2 // (2 - x))
    flow = world.pick(
        "recovery",
        (
            broken.recover(lambda _: 7),
            broken.catch(lambda _: sources([7, 8]).map(int)),
            broken.recover_with(lambda _: sources([7, 8])),
        ),
    )
    run = world.start(flow.to(Sink.for_each(got.append)))
    world.soon("cancel", run.cancel)
    failure = failure_of(run)  # the failure itself, if it came just behind the cancellation
    assert run.state != "failed" or isinstance(failure.__cause__, ZeroDivisionError), repr(failure)
    assert got == [1, 2, 7, 8][: len(got)], got
    settle(world)
    sources.check()


def one_group_too_many(world):
    """It fails the run; what came beside its first element may have gone to the others first."""
    sources, got = Sources(), []
    groups = sources([0, 3, 1, 6, 2, 9]).group_by(lambda x: x % 3, 2, "fail")
    flow = groups.flat_map(lambda group: group.map(int), breadth=3)
    failure = failure_of(world.start(flow.to(Sink.for_each(got.append))))
    assert isinstance(failure, TooManyGroupsError), repr(failure)
    others = getattr(failure, "others", ())
    assert not others, f"further failures: {others}"
    assert part_of([0, 3, 6, 9], [1])(got), got
    settle(world)
    sources.check()


def groups_nobody_runs(world):
    """They are named when nothing has moved for as long as was said, and not before."""
    sources, kept = Sources(), []
    groups = sources(range(90)).group_by(lambda x: x % 3, 3, stall_after=5.0)
    failure = failure_of(world.start(groups.to(Sink.for_each(kept.append))))
    assert isinstance(failure, Stalled), repr(failure)
    assert "nobody runs the streams of groups 0" in str(failure), str(failure)
    assert world.now >= 5.0, world.now
    settle(world)
    sources.check()


SCENARIOS = [
    Scenario("cancelled around a recovery", cancelled_around_a_recovery),
    Scenario("one group too many", one_group_too_many),
    Scenario("groups nobody runs", groups_nobody_runs, (4, 2)),
]
