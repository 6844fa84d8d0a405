# mypy: disable-error-code="var-annotated"
"""Supervision and death watch in thousands of orders of events."""

from contextlib import suppress
from itertools import pairwise

import pytest
from pykka import ActorDeadError

from actors_rs.errors import RestartLimitError
from actors_rs.runtime.supervision.backoff import Backoff
from actors_rs.runtime.supervision.child_spec import Supervisor
from actors_rs.runtime.supervision.strategies import OneForAll, OneForOne, RestForOne
from actors_rs.testing.explore import explore
from actors_rs.testing.world import World
from tests.runtime.family import Noting, noting
from tests.runtime.support import raises_at_the_end

NAMES = "abcd"
SOME = Backoff(initial=0.1, maximum=0.4, jitter=0)


def rule_of(world):
    kind = world.pick("strategy", (OneForOne, OneForAll, RestForOne))
    retry = world.pick("failed message", ("dead_letter", "retry"))
    return kind(max_restarts=20, backoff=SOME, failed_message=retry)


class Faltering(Noting):
    """Fails once at each message that says so, and may fail to start."""

    def on_start(self):
        super().on_start()
        if self.trouble:
            raise self.trouble.pop()

    trouble = ()

    def on_receive(self, message):
        if isinstance(message, list):
            if message:
                raise message.pop()
            return None
        return super().on_receive(message)


def alive_after(notes):
    """Walks through the notes; those who lived when each began, in the order of their names."""
    alive = set()
    for what, name in notes:
        yield what, name, sorted(alive)
        alive = alive | {name} if what == "start" else alive - {name}


def check_order(notes):
    """Of children that depend on each other none starts or stops while one behind it lives."""
    for what, name, alive in alive_after(notes):
        if what in ("start", "stop"):
            assert not [other for other in alive if other > name], notes


@explore(runs=400)
def test_two_that_fail_at_any_moments_restart_exactly_who_they_must_in_order(world):
    notes, rule = [], rule_of(world)
    top = world.system.supervise(Supervisor(rule, noting(NAMES, notes, kind=Faltering)))
    world.settle()  # all have started
    failing = [world.pick(f"failing {n}", NAMES) for n in range(2)]
    for n, name in enumerate(failing):
        error = ValueError(f"{n}")
        world.soon("fail", lambda name=name, error=error: top.child(name).tell([error]))
    world.sleep(5)
    affected = rule.affected(NAMES, set(failing))
    assert {name for what, name in notes if what == "fail"} == set(failing)
    started = {name: notes.count(("start", name)) for name in NAMES}
    assert {name for name in NAMES if started[name] > 1} == set(affected)
    assert max(started.values()) <= 3
    assert [top.child(name).ask("x") for name in NAMES] == [1] * 4
    assert world.system.dead_letters.total == (2 if rule.failed_message == "dead_letter" else 0)
    if rule.together:
        check_order(notes)


@explore(runs=300)
def test_failures_in_on_start_at_any_moments_are_restarted_in_order_too(world):
    notes = []
    rule = world.pick("strategy", (OneForAll, RestForOne))(max_restarts=20, backoff=SOME)
    troubled = world.pick("troubled", NAMES)
    kind = type("Troubled", (Faltering,), {"trouble": [ValueError(), ValueError()]})
    children = [
        *noting([n for n in NAMES if n < troubled], notes),
        *noting(troubled, notes, kind=kind),
        *noting([n for n in NAMES if n > troubled], notes),
    ]
    top = world.system.supervise(Supervisor(rule, children))
    world.soon("fail", lambda: top.child(world.pick("failing", NAMES)).tell(ValueError()))
    world.sleep(5)
    assert [top.child(name).ask("x") for name in NAMES] == [1] * 4
    check_order(notes)


@explore(runs=400)
def test_a_tree_that_stops_at_any_moment_stops_in_order_and_answers_every_ask(world):
    notes, rule, answers = [], rule_of(world), []
    inner = Supervisor(rule_of(world), noting("bc", notes), name="inner")
    top = world.system.supervise(
        Supervisor(rule, [*noting("a", notes), inner, *noting("d", notes)])
    )
    refs = [top.child(path) for path in ("a", "inner/b", "inner/c", "d")]
    failing = world.pick("failing", refs)
    for ref in refs:
        world.soon("ask", lambda ref=ref: answers.append(ref.ask("x", block=False)))
    world.soon("fail", lambda: failing.is_alive() and failing.tell(ValueError()))
    world.soon("stop", lambda: top.stop(block=False))
    world.sleep(world.pick("how long", (0, 0.05, 0.15, 5)))
    world.system.stop_soon()
    world.sleep(5)
    assert len(answers) == 4
    for answer in answers:
        with suppress(ActorDeadError):
            assert answer.get(timeout=0) >= 1
    assert world.system.children() == ()
    assert not any(ref.is_alive() for ref in (top, *refs))
    ends = sum(what in ("stop", "fail") for what, _ in notes)
    assert ends == sum(what == "start" for what, _ in notes)


@explore(runs=400)
def test_the_end_of_a_child_is_heard_once_whenever_it_is_watched_restarted_and_stopped(world):
    notes = []

    class Watcher(Noting):
        def on_receive(self, message):
            if message == "watch":
                self.watch(watched)
            else:
                notes.append(("heard", message.ref.actor_urn))

    top = world.system.supervise(Supervisor(OneForOne(backoff=SOME), noting("a", notes)))
    watched, watcher = top.child("a"), world.spawn(Watcher, "w", [])
    for _ in range(2):
        world.soon("watch", lambda: watcher.tell("watch"))
    world.soon("fail", lambda: watched.is_alive() and watched.tell(ValueError()))
    world.soon("stop", lambda: top.stop_child("a", block=False))
    world.sleep(5)
    heard = [urn for what, urn in notes if what == "heard"]
    assert set(heard) == {watched.actor_urn}
    assert len(heard) in (1, 2)  # a wish that came behind the notice is a new one
    assert not watched.is_alive()


@explore(runs=300)
def test_a_child_stopped_for_good_at_any_moment_leaves_the_others_as_they_should_be(world):
    notes, rule = [], rule_of(world)
    top = world.system.supervise(Supervisor(rule, noting(NAMES, notes, kind=Faltering)))
    gone, failing = world.pick("gone", NAMES), world.pick("failing", NAMES)
    ref, stopping = top.child(failing), []
    world.soon("fail", lambda: ref.is_alive() and ref.tell([ValueError()]))
    world.soon("stop", lambda: stopping.append(top.stop_child(gone, block=False)))
    world.soon("start", lambda: top.start_child(*noting("e", notes)))
    world.sleep(5)
    assert stopping[0].get(timeout=0) is True
    assert list(top.children()) == [name for name in (*NAMES, "e") if name != gone]
    for ref in top.children().values():
        assert ref.ask("x") == 1


class Stormy(Noting):
    """Fails as soon as it lives, and notes when."""

    def on_start(self):
        self.notes.append(self.system.now())
        raise ValueError

    def on_failure(self, *info):
        pass


@pytest.mark.parametrize("strategy", [OneForOne, OneForAll, RestForOne])
def test_a_storm_in_virtual_time_is_as_long_as_its_waits(strategy):
    at = []
    rule = strategy(max_restarts=4, backoff=Backoff(10, 60, factor=2, jitter=0))
    with raises_at_the_end(RestartLimitError), World() as world:
        world.system.supervise(Supervisor(rule, noting("a", at, kind=Stormy)))
        world.sleep(1000)
    assert [after - before for before, after in pairwise(at)] == pytest.approx([10, 20, 40, 60])


@pytest.mark.parametrize("strategy", [OneForOne, OneForAll, RestForOne])
def test_a_storm_ends_also_when_its_waits_are_longer_than_the_time_that_counts(strategy):
    at = []
    rule = strategy(max_restarts=3, within=0.5, backoff=Backoff(60, 60, jitter=0))
    with raises_at_the_end(RestartLimitError), World() as world:
        world.system.supervise(Supervisor(rule, noting("a", at, kind=Stormy)))
        world.sleep(1000)
    assert len(at) == 4


@explore(runs=300)
def test_a_tree_that_stops_before_it_has_started_handles_what_its_children_were_told(world):
    notes = []
    rule = world.pick("strategy", (OneForOne, OneForAll, RestForOne))()
    inner = Supervisor(rule, noting("bc", notes), name="inner")
    top = world.system.supervise(
        Supervisor(rule, [*noting("a", notes), inner, *noting("d", notes)])
    )
    refs = [top.child(path) for path in ("a", "inner/b", "inner/c", "d")]
    answers = [ref.ask("x", block=False) for ref in refs]
    if world.pick("which", ("all", "one")) == "all":
        world.system.stop_soon()
    else:
        stopping = top.stop_child("d", block=False)
        assert stopping.get(timeout=20) is True
    assert [answer.get(timeout=20) for answer in answers] == [1] * 4
