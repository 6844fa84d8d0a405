# mypy: disable-error-code="var-annotated, arg-type, func-returns-value"
"""Each element that a stage took is given, held, dropped by a policy or failed for, in a world."""

import inspect
from importlib import import_module
from pathlib import Path

import pytest

from actors_rs import KillSwitch, Sink, Source, amb, concat, merge
from actors_rs import zip as zip_
from actors_rs.errors import StageError
from actors_rs.stages.passing import PassThrough
from actors_rs.stages.ports import Inlet
from actors_rs.stages.stage import StageLogic
from actors_rs.testing.explore import Plan, check_scenario
from actors_rs.testing.world import World
from actors_rs.testing.world.conservation import RULES, Account
from tests.mutants.mutant import Edit, Mutant

STAGES = Path(__file__).resolve().parents[2] / "actors_rs" / "stages"
UNDEFINED = {
    "folds": {
        "Average",
        "Contains",
        "Count",
        "ElementAt",
        "Extreme",
        "ExtremeBy",
        "First",
        "Last",
        "Reduce",
        "ReduceWithoutInitial",
        "Search",
        "Sum",
    },
    "windows": {"AggregateBy", "AggregateWindows", "Join", "Sliding"},
    "many of one": {"Expand", "FlatMap"},
    "bases": {"HotJunction"},
    "of others": {"Generated", "SinkAndSource"},
    "adding": {"DefaultIfEmpty", "EndWith", "StartWith", "StatefulMap"},
}
"""Kinds without an equation: something else comes of their elements, or more than went in."""


def classes(folder):
    for path in sorted((STAGES / folder).glob("*.py")):
        module = import_module(f"actors_rs.stages.{folder}.{path.stem}")
        for name, kind in vars(module).items():
            is_logic = inspect.isclass(kind) and issubclass(kind, StageLogic)
            if is_logic and kind.__module__ == module.__name__:
                yield name, kind


def test_every_operator_and_junction_has_a_rule_or_is_known_to_have_none():
    undefined = set().union(*UNDEFINED.values())
    for folder in ("operators", "junctions", "hubs"):
        for name, kind in classes(folder):
            has_rule = any(base.__name__ in RULES for base in kind.__mro__)
            has_rule |= kind.conserves == "at most once"
            assert has_rule != (name in undefined), name


def test_every_rule_is_of_a_class_that_exists():
    known = {"PassThrough"} | {n for f in ("operators", "junctions", "hubs") for n, _ in classes(f)}
    assert set(RULES) <= known


def cancelled(world, flow):
    """Started, let go on until nothing moves, and cancelled."""
    run = world.start(flow.append(Source.never()).to(Sink.list()))
    world.settle()
    run.cancel()
    run.wait()


def completed(world, flow):
    world.start(flow.to(Sink.list())).result()


def waited_for(world, flow):
    world.start(flow.to(Sink.list())).wait()


def failed(world, flow):
    world.start(flow.to(Sink.for_each(lambda x: 1 // (3 - x)))).wait()


def drained(world, flow):
    run = world.start(flow.append(Source.never()).to(Sink.list()))
    world.settle()
    run.drain()
    run.wait()


def numbers():
    return Source.range(0, 6)


def reciprocals():
    return numbers().map(lambda x: 1 // (3 - x))


def slow(flow, window=4):
    return flow.throttle(1, per=9.0, burst=1).with_attributes(window=window)


PASS_ON = (
    "stages.linear:Operator._pass_on",
    "emit(out)\n    return",
    "emit(out[1:])\n    return",
)
MERGE = "stages.junctions.merge:Merge.advance", "take(demand)", "take(demand)[1:]"
PLANTED = {
    "an operator, completed": (
        *PASS_ON,
        lambda: numbers().map(str),
        completed,
        r"stage 'map' \(map\) took \d elements, gave \d, .*: \d vanished",
    ),
    "an operator, cancelled": (
        *PASS_ON,
        lambda: numbers().map(str),
        cancelled,
        r"stage 'map' \(map\) took \d elements, gave \d, .*: \d vanished",
    ),
    "a junction, failed": (
        *MERGE,
        lambda: merge(numbers(), numbers()),
        failed,
        r"stage 'merge' \(merge\) took \d elements, gave \d, .*: \d vanished",
    ),
    "an operator of an inner stream in the island of its host": (
        *PASS_ON,
        lambda: numbers().flat_map(lambda x: Source.of(x, x).map(str).delay(1).fuse(), 2),
        completed,
        r"stage 'map#1' \(map\) took \d elements, gave \d, .*: \d vanished",
    ),
    "a junction, drained": (
        *MERGE,
        lambda: merge(numbers(), numbers()),
        drained,
        r"stage 'merge' \(merge\) took \d+ elements, gave \d+, .*: \d vanished",
    ),
    "what a policy dropped is not counted": (
        "stages.operators.buffer:Buffer._drop",
        "self._dropped += len(elements)",
        "pass",
        lambda: slow(Source.range(0, 20).buffer(1, "drop_newest").with_attributes(window=2)),
        completed,
        r"stage 'buffer' \(buffer\) took 20 elements, gave \d+, holds 0, dropped 0 by policy",
    ),
    "what was passed over is not counted": (
        "engine.member:Member.passed_over",
        'self.resumed += policy != "restart"',
        "pass",
        lambda: reciprocals().on_failure("resume"),
        completed,
        r"stage 'map' \(map\) took 6 elements, gave 5, .*: 1 vanished",
    ),
    "what was in hand at a restart is not counted": (
        "stages.chunked:Chunked._give_up",
        "self.given_up += 1",
        "pass",
        lambda: numbers().sort_within(2, key=lambda x: 1 // (3 - x)).on_failure("restart"),
        completed,
        r"stage 'sort_within' \(sort_within\) took 6 elements, .*: 2 vanished",
    ),
    "an asynchronous operator that forgets what it holds, cancelled": (
        "stages.operators.map_async:MapAsync.held",
        "for call in calls",
        "for call in calls[1:]",
        lambda: slow(Source.range(0, 20).map_async(str, parallelism=2)),
        cancelled,
        r"stage 'map_async' \(map_async\) took \d+ elements, .*: 1 vanished",
    ),
    "two inlets of a junction": (
        "stages.junctions.zip:Zip.advance",
        "for inlet in inlets]\n",
        "for inlet in inlets]\n            columns = [one[:1] for one in columns]\n",
        lambda: zip_(numbers(), numbers()),
        completed,
        r"stage 'zip' \(zip\) took \d elements, gave \d, .*: \d vanished",
    ),
    "stages of one island, of which one failed for an element": (
        "stages.linear:Operator._pass_on",
        "partial(self.outlet.emit, out)",
        "partial(self.outlet.emit, [0, *out])",
        lambda: numbers().map(int).map(lambda x: 1 // (3 - x)).fuse(),
        waited_for,
        r"stage 'map-2' \(map\) took 4 elements, gave 4, .* for 1: 1 came from nowhere",
    ),
    "an operator that completes while it is given elements": (
        "stages.linear:Operator._end_if_due",
        "elif inlet.closed and inlet.exhausted:",
        "elif inlet.closed:",
        lambda: slow(numbers().map(str).with_attributes(window=6), 1),
        completed,
        r"stage 'map' .* took \d elements and completed although \d more had come to it: \d v",
    ),
    "a stage that passes on and completes while it is given elements": (
        "stages.passing:PassThrough.advance",
        "if inlet.exhausted:",
        "if inlet.done:",
        lambda: slow(numbers().buffer(6), 1),
        completed,
        r"stage 'buffer' .* took \d elements and completed although \d more had come",
    ),
    "lists": (
        "stages.operators.batch:Batch._closed_batch",
        "self.packed(batch)",
        "self.packed(batch[1:])",
        lambda: numbers().batch(3),
        completed,
        r"stage 'batch' \(batch\) took 6 elements, gave \d, .*: \d vanished",
    ),
}


@pytest.mark.parametrize("planted", PLANTED.values(), ids=PLANTED.keys())
def test_a_loss_is_reported_with_the_stage_and_the_numbers(planted):
    where, old, new, make, way, told = planted
    in_a_world(make, way)
    with Mutant("", "", (Edit(f"actors_rs.{where}", old, new),)).applied():
        with pytest.raises(AssertionError, match=told):
            in_a_world(make, way)


def in_a_world(make, way):
    with World(window=4) as world:
        way(world, make())


def test_a_loss_between_two_stages_is_reported_too(monkeypatch):
    push = Inlet.push

    def pushing(self, frame):
        if len(frame) > 1:
            self._requested -= 1
            frame = frame[1:]
        push(self, frame)

    monkeypatch.setattr(Inlet, "push", pushing)
    told = r"^\d elements went to stage '\w+', which took \d, holds 0 and dropped 0 that it wanted"
    with pytest.raises(AssertionError, match=told):
        in_a_world(lambda: numbers().map(str), completed)


ELSEWHERE = StageError("elsewhere", KeyError(3), 3)


@pytest.mark.parametrize("raised", [lambda error: error, lambda error: ELSEWHERE])
@pytest.mark.parametrize("way", ["catch", "map_error", "recover", "recover_with"])
def test_a_stage_that_ends_with_the_error_of_another_has_failed_for_no_element(way, raised):
    def f(error):
        raise raised(error)

    in_a_world(lambda: getattr(reciprocals(), way)(f), waited_for)


def test_an_account_says_what_became_of_the_elements():
    assert Account(5, 2, 1, 1, 1).missing == 0
    assert str(Account(5, 1, 1, 1, 0, added=1)) == (
        "took 5 elements and added 1, gave 1, holds 1, dropped 1 by policy and failed for 0: "
        "3 vanished"
    )
    assert str(Account(1, 2)).endswith("1 came from nowhere")


class Recover(PassThrough):
    """A user's, which has no more than its name from one of ours."""


class Thinning(PassThrough):
    """A user's, which drops the first element."""

    def pass_on(self, budget):
        if self.inlet.buffered and not self.inlet.count:
            self.inlet.take(1)
        super().pass_on(budget)


class Declared(Thinning):
    conserves = False


def given(kind):
    with World() as world:
        return world.start(Source.range(0, 6).then("mine", kind).to(Sink.list())).result()


def test_a_stage_of_the_users_is_not_taken_for_ours_because_of_its_name():
    assert given(Recover) == list(range(6))


def test_a_stage_derived_from_one_that_conserves_is_counted_unless_it_says_otherwise():
    with pytest.raises(AssertionError, match=r"stage 'mine' .*took 6 elements.* vanished"):
        given(Thinning)
    assert given(Declared) == list(range(1, 6))


class Thins(Thinning):
    conserves = "at most once"


class Doubles(PassThrough):
    conserves = "at most once"

    def pass_on(self, budget):
        while self.inlet.buffered and self.outlet.demand > 1:
            self.outlet.emit([*self.inlet.take(1)] * 2)


def test_a_stage_that_gives_elements_at_most_once_may_leave_some_out_and_gives_none_twice():
    assert given(Thins) == list(range(1, 6))
    with pytest.raises(AssertionError, match=r"stage 'mine' .* came from nowhere"):
        given(Doubles)


class EndsEarly(PassThrough):
    """A user's, which completes as soon as its upstream has."""

    def advance(self, budget):
        if self.inlet.done and not self.outlet.closed:
            self.end(self.inlet.error)
        else:
            super().advance(budget)


class MeansTo(EndsEarly):
    conserves = False


def found_in_any_order(make):
    def scenario(world):
        world.start(make(world).to(Sink.list())).result()

    check_scenario(scenario, Plan(runs=300))


@pytest.mark.usefixtures("by_itself")
def test_what_a_stage_throws_away_by_completing_too_early_is_lost_although_its_run_completed():
    def make(world, kind=EndsEarly):
        return numbers().then("mine", kind)

    with pytest.raises(AssertionError, match=r"stage .mine. .* completed although \d more"):
        found_in_any_order(make)
    found_in_any_order(lambda world: make(world, MeansTo))


def switched_off(world):
    switch = KillSwitch()
    world.soon("off", switch.shutdown)
    return numbers().map(int).kill_switch(switch)


LEAVING = {
    "amb": lambda _: numbers().map(int).amb(numbers().map(int)),
    "amb of others": lambda _: amb(numbers().map(int), numbers().map(int)),
    "kill switch": switched_off,
    "switch_map": lambda _: numbers().switch_map(lambda x: Source.range(x, 9).map(int)),
    "zip": lambda _: zip_(numbers().map(int), numbers().map(int).take(2)),
    "combine_latest": lambda _: Source.empty().combine_latest(numbers().map(int)),
    "concat": lambda _: concat(numbers().map(int), numbers().map(int)),
    "take": lambda _: numbers().map(int).take(2),
    "take_while": lambda _: numbers().map(int).take_while(lambda x: x < 2),
}


@pytest.mark.usefixtures("by_itself")
@pytest.mark.parametrize("kind", LEAVING)
def test_what_is_meant_to_complete_while_elements_come_loses_none_by_it(kind):
    found_in_any_order(LEAVING[kind])
