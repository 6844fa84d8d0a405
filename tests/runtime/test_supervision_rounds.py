# mypy: disable-error-code="func-returns-value, misc, union-attr, var-annotated"
"""Children that depend on each other: who is stopped and started when several fail."""

import threading

import pytest

from actors_rs import ActorSystem
from actors_rs.runtime.supervision.backoff import Backoff
from actors_rs.runtime.supervision.child_spec import ChildSpec, Supervisor
from actors_rs.runtime.supervision.strategies import OneForAll, RestForOne
from actors_rs.runtime.supervision.supervised import State
from actors_rs.testing.world import World
from tests.runtime.family import SOON, STRATEGIES, Noting, lives, noting, shown, tree
from tests.runtime.support import behind, eventually


@pytest.mark.parametrize("failing", ["ab", "ba", "bd", "db", "cd", "dc"])
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_concurrent_failures_of_two_restart_exactly_who_they_must_in_order(strategy, failing):
    notes = []
    with ActorSystem(workers=4) as system:
        rule = strategy(max_restarts=10, backoff=SOON)
        top = system.supervise(tree(rule, "abcd", notes))
        eventually(lambda: len(notes) == 4)
        for name in failing:
            top.child(name).tell(ValueError())
        affected = "".join(rule.affected("abcd", set(failing)))
        eventually(lambda: all(lives(notes, name) >= 2 for name in affected))
        for name in affected:
            top.child(name).ask("x", timeout=20)
        since, untouched = notes[4:], set("abcd") - set(affected)
        assert not [note for note in since if note[1] in untouched]
        ends = [name for what, name in since if what in ("stop", "fail")]
        starts = [name for what, name in since if what == "start"]
        assert set(starts) == set(affected)
        if rule.together:
            # Usually one round. Where the second failure came so late that the first round had
            # ended, another one followed; each starts in order, and nobody before all have ended.
            assert starts[-len(affected) :] == list(affected) or len(starts) > len(affected)
            first_start = since.index(("start", starts[0]))
            assert {name for _, name in since[:first_start]} == set(
                rule.affected(
                    "abcd", {name for what, name in since[:first_start] if what == "fail"}
                )
            )
        assert len(ends) == len(starts)


class Slow(Noting):
    """Its last hook waits at a gate."""

    def __init__(self, name, notes, gate, at_the_gate):
        super().__init__(name, notes)
        self.gate, self.at_the_gate = gate, at_the_gate

    def on_stop(self):
        super().on_stop()
        self.at_the_gate.set()
        self.gate.wait(20)


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("c", "b", ["fail c", "stop d", "fail b", "start b", "start c", "start d"]),
        ("b", "c", ["fail b", "stop d", "fail c", "start b", "start c", "start d"]),
    ],
)
def test_a_failure_while_a_round_is_under_way_widens_it(first, second, expected):
    notes, gate, at_the_gate = [], threading.Event(), threading.Event()
    last = ChildSpec(Slow, ("d", notes, gate, at_the_gate), name="d")
    with ActorSystem(workers=4) as system:
        top = system.supervise(Supervisor(RestForOne(backoff=SOON), [*noting("abc", notes), last]))
        eventually(lambda: len(notes) == 4)
        top.child(first).tell(ValueError())
        assert at_the_gate.wait(20)  # the round stops d
        top.child(second).tell(ValueError())
        eventually(lambda: ("fail", second) in notes)
        gate.set()
        eventually(lambda: lives(notes, "d") == 2)
        top.child("d").ask("x")
    assert shown(notes, 4)[:6] == expected


@pytest.mark.parametrize("strategy", [OneForAll, RestForOne])
def test_failures_that_widen_a_round_are_one_restart_together(strategy):
    notes, gate, at_the_gate = [], threading.Event(), threading.Event()
    last = ChildSpec(Slow, ("d", notes, gate, at_the_gate), name="d")
    once = strategy(max_restarts=1, within=60.0, backoff=SOON)
    with ActorSystem(workers=4) as system:
        top = system.supervise(Supervisor(once, [*noting("abc", notes), last]))
        eventually(lambda: len(notes) == 4)
        top.child("a").tell(ValueError())
        assert at_the_gate.wait(20)  # the round stops d
        for name in "bc":
            top.child(name).tell(ValueError())
            eventually(lambda name=name: top.child_slots.child_of(name).state is State.DOWN)
        gate.set()
        assert [top.child(name).ask("x", timeout=20) for name in "abcd"] == [1] * 4
    assert [lives(notes, name) for name in "abcd"] == [2] * 4


def test_a_round_that_grows_waits_no_longer_than_its_first_failure_says():
    notes = []
    patient = RestForOne(max_restarts=2, backoff=Backoff(10, 60, jitter=0))
    with World() as world:
        top = world.system.supervise(tree(patient, "ab", notes))
        world.settle()
        for name in "ba":
            top.child(name).tell(ValueError(name))
            world.sleep(1)
        world.sleep(7.5)
        assert lives(notes, "a") == lives(notes, "b") == 1
        world.sleep(1)
        assert lives(notes, "a") == lives(notes, "b") == 2


def test_a_sibling_that_is_restarted_leaves_what_it_has_not_handled_to_its_next_life():
    notes, gate, begun = [], threading.Event(), threading.Event()
    with ActorSystem(workers=4) as system:
        top = system.supervise(tree(OneForAll(backoff=SOON), "ab", notes))
        a, b = top.child("a"), top.child("b")
        assert b.ask("x") == 1
        b.tell(lambda _: (begun.set(), gate.wait(20)))
        assert begun.wait(20)
        answers = [b.ask("x", block=False) for _ in range(3)]
        a.tell(ValueError())
        eventually(lambda: len(behind(b).actor_inbox) == 4)  # it has been told to stop
        gate.set()
        assert [answer.get(timeout=20) for answer in answers] == [1, 2, 3]


def test_a_wish_to_stop_that_a_failing_child_never_read_is_none_to_its_successor():
    notes, gate, begun = [], threading.Event(), threading.Event()

    def fail_behind_the_gate(_):
        begun.set()
        gate.wait(20)
        raise ValueError

    with ActorSystem(workers=4) as system:
        top = system.supervise(tree(OneForAll(backoff=SOON), "ab", notes))
        a, b = top.child("a"), top.child("b")
        assert b.ask("x") == 1
        b.tell(fail_behind_the_gate)
        assert begun.wait(20)
        a.tell(ValueError())
        eventually(lambda: len(behind(b).actor_inbox) == 1)  # it has been told to stop
        gate.set()
        eventually(lambda: lives(notes, "b") == 2)
        assert [b.ask("x", timeout=20), a.ask("x", timeout=20), b.ask("x")] == [1, 1, 2]
    assert shown(notes, 2) == ["fail a", "fail b", "start a", "start b", "stop b", "stop a"]
