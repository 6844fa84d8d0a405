# mypy: disable-error-code="func-returns-value, misc, union-attr, valid-type, var-annotated"
"""Trees of supervisors: escalation, restarts of whole branches, orderly ends, what is fatal."""

import gc
import threading
import weakref
from itertools import pairwise

import pytest
from pykka import ActorDeadError

from actors_rs import ActorSystem, Sink, Source
from actors_rs.errors import RestartLimitError, RunCancelled
from actors_rs.runtime.supervision.backoff import SHORTEST_WAIT, Backoff
from actors_rs.runtime.supervision.child_spec import ChildSpec, Supervisor
from actors_rs.runtime.supervision.strategies import OneForAll, OneForOne, RestForOne
from actors_rs.runtime.supervision.supervised import Child
from tests.runtime.family import SOON, STRATEGIES, Noting, lives, noting, shown, tree
from tests.runtime.support import (
    Recorder,
    asked_on_another_thread,
    behind,
    eventually,
    no_thread_left,
    raises_at_the_end,
)


class Stormy(Noting):
    """Fails as soon as it lives, and notes when."""

    def on_start(self):
        super().on_start()
        self.notes.append(("at", self.system.now()))
        raise ValueError("as always")


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("dispatcher", ["pool", "calling_thread"])
def test_a_restart_storm_ends_in_escalation_after_the_waits_of_its_backoff(strategy, dispatcher):
    notes = []
    rule = strategy(max_restarts=4, backoff=Backoff(0.08, 0.2, factor=2, jitter=0))
    with raises_at_the_end(RestartLimitError) as caught, ActorSystem() as system:
        kind = type("Kind", (Stormy,), {"dispatcher": dispatcher})
        ref = system.supervise(tree(rule, "a", notes, kind=kind)).child("a")
        with pytest.raises(ActorDeadError):
            ref.ask("x", timeout=20)
        eventually(lambda: not system.children())
    times = [at for what, at in notes if what == "at"]
    gaps = [after - before for before, after in pairwise(times)]
    assert len(times) == 5
    assert all(gap >= wait for gap, wait in zip(gaps, [0.08, 0.16, 0.2, 0.2], strict=True))
    assert str(caught.value) == (
        "supervisor 'tree' gave up: more than 4 restarts within 5.0 s; "
        "child 'a' failed: ValueError: as always"
    )
    assert isinstance(caught.value.__cause__, ValueError)


def test_the_restart_limit_of_one_is_said_in_the_singular():
    with raises_at_the_end(RestartLimitError) as caught, ActorSystem() as system:
        ref = system.supervise(tree(OneForOne(max_restarts=1), "a", [], kind=Stormy)).child("a")
        with pytest.raises(ActorDeadError):
            ref.ask("x", timeout=20)
    assert "gave up: more than 1 restart within 5.0 s;" in str(caught.value)


def test_restarts_are_never_20_in_a_second_whatever_the_settings():
    notes = []
    rule = OneForOne(max_restarts=10**9, backoff=SOON)
    with ActorSystem() as system:
        system.supervise(tree(rule, "a", notes, kind=Stormy))
        eventually(lambda: lives(notes, "a") >= 8)
        turns = system.statistics().turns
    times = [at for what, at in notes if what == "at"]
    assert all(b - a >= SHORTEST_WAIT for a, b in pairwise(times))
    assert turns < 20 * len(times)  # it does not spin in between


def test_restarts_are_counted_for_each_child_by_itself_where_children_are_independent():
    notes = []
    with ActorSystem() as system:
        top = system.supervise(tree(OneForOne(max_restarts=1, backoff=SOON), "abcde", notes))
        for name in "abcde":
            top.child(name).tell(ValueError())
        eventually(lambda: all(lives(notes, name) == 2 for name in "abcde"))
        assert top.is_alive()


def nested(outer, inner, notes):
    """top: a, branch: (b, c), d."""
    return Supervisor(
        outer,
        [
            *noting("a", notes),
            Supervisor(inner, noting("bc", notes), name="branch"),
            *noting("d", notes),
        ],
        name="top",
    )


def test_a_branch_that_gives_up_is_restarted_by_its_supervisor_with_all_addresses():
    notes = []
    with ActorSystem() as system:
        top = system.supervise(nested(OneForOne(backoff=SOON), OneForOne(0, backoff=SOON), notes))
        b, c = top.child("branch/b"), top.child("branch/c")
        c.ask("x")
        b.tell(ValueError())
        waiting = b.ask("x", block=False)
        assert waiting.get(timeout=20) == 1
        assert c.ask("x", timeout=20) == 1
        assert (top.child("branch/b"), top.child("branch/c")) == (b, c)
        assert (lives(notes, "a"), lives(notes, "d")) == (1, 1)


def test_a_branch_is_started_before_what_depends_on_it_and_stopped_behind_it():
    notes = []
    with ActorSystem(workers=4) as system:
        top = system.supervise(nested(RestForOne(backoff=SOON), OneForAll(backoff=SOON), notes))
        top.child("d").ask("x")
        assert shown(notes) == ["start a", "start b", "start c", "start d"]
        top.child("a").tell(ValueError())
        eventually(lambda: lives(notes, "d") == 2)
        assert shown(notes, 4) == [
            *["fail a", "stop d", "stop c", "stop b"],
            *["start a", "start b", "start c", "start d"],
        ]
    assert shown(notes, 12) == ["stop d", "stop c", "stop b", "stop a"]


def test_escalation_goes_up_level_by_level_to_the_system():
    notes = []
    with raises_at_the_end(RestartLimitError, match="'top' gave up") as caught:
        with ActorSystem() as system:
            bystander = system.spawn(Recorder)
            top = system.supervise(
                nested(OneForOne(1, backoff=SOON), OneForOne(1, backoff=SOON), notes)
            )
            b = top.child("branch/b")
            for _ in range(4):
                b.tell(ValueError("it"))
            eventually(lambda: not system.children())
            assert not bystander.is_alive()
            with pytest.raises(ActorDeadError):
                b.ask("x")
    assert "'top/branch' gave up" in str(caught.value.__cause__)
    assert str(caught.value.__cause__.__cause__) == "it"
    assert lives(notes, "b") == 4
    assert shown(notes)[-2:] == ["stop d", "stop a"]


def test_of_many_children_only_those_that_fail_are_restarted_and_all_end():
    count, every = 2_000, 100
    notes = []
    before = set(threading.enumerate())
    with no_thread_left(), ActorSystem(workers=2, max_workers=4) as system:
        top = system.supervise(
            Supervisor(
                OneForOne(backoff=SOON),
                [ChildSpec(Noting, (n, notes), restart="transient") for n in range(count)],
            )
        )
        refs = list(top.children().values())
        for ref in refs[::every]:
            ref.tell(ValueError())
        eventually(lambda: len([1 for what, _ in notes if what == "start"]) == count + 20)
        assert len(set(threading.enumerate()) - before) < 8
        assert all(ref.ask("x", timeout=20) == 1 for ref in refs)
        for ref in refs:
            ref.stop(block=False)
        eventually(lambda: not top.children())
    failed = [name for what, name in notes if what == "fail"]
    assert sorted(failed) == list(range(0, count, every))
    assert sorted(name for what, name in notes if what == "stop") == list(range(count))


def test_a_tree_under_a_run_ends_that_run_with_its_error_and_not_the_system():
    with ActorSystem() as system:
        run = system.start(Source.never().to(Sink.ignore()))
        top = system.supervise(tree(OneForOne(0), "a", []), under=run)
        top.child("a").tell(ValueError("it"))
        with pytest.raises(RestartLimitError, match="ValueError: it"):
            run.result(20)
        assert system.spawn(Recorder).ask("alive") == "alive"


def test_a_tree_under_a_run_stops_with_the_run():
    notes = []
    with ActorSystem() as system:
        run = system.start(Source.never().to(Sink.ignore()))
        top = system.supervise(tree(OneForOne(), "ab", notes), under=run)
        top.child("b").ask("x")
        run.cancel()
        with pytest.raises(RunCancelled):
            run.result(20)
        assert top.actor_stopped.wait(20)
    assert shown(notes)[-2:] == ["stop b", "stop a"]


FATAL = [SystemExit(3), KeyboardInterrupt(), GeneratorExit(), MemoryError()]


@pytest.mark.parametrize("error", FATAL, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("ask", [True, False])
@pytest.mark.parametrize("supervised", [True, False])
def test_what_no_restart_cures_stops_its_own_system_in_order_and_is_raised(error, ask, supervised):
    notes = []
    with ActorSystem(name="other") as other:
        survivor = other.spawn(Recorder)
        with raises_at_the_end(type(error)) as caught, ActorSystem(workers=4) as system:
            run = system.start(Source.never().to(Sink.ignore()))
            top = system.supervise(tree(OneForOne(), "abc", notes))
            eventually(lambda: len(notes) == 3)
            ref = top.child("b") if supervised else system.spawn(Recorder)
            answer = ref.ask(error, block=False) if ask else ref.tell(error)
            if answer is not None:
                with pytest.raises(ActorDeadError) as dead:
                    answer.get(timeout=20)
                assert dead.value.__cause__ is error
            with pytest.raises(type(error)):
                run.result(20)
            eventually(lambda: not system.children())
        assert caught.value is error
        assert survivor.ask("alive") == "alive"
    ends = shown(notes, 3)
    assert ends == (
        ["fail b", "stop c", "stop a"] if supervised else ["stop c", "stop b", "stop a"]
    )


def test_a_child_that_raised_what_no_restart_cures_is_not_restarted_while_the_system_stops():
    notes, gate = [], threading.Event()
    with raises_at_the_end(SystemExit), ActorSystem(workers=4) as system:
        top = system.supervise(tree(OneForOne(backoff=SOON), "ab", notes))
        stuck = system.spawn(Recorder)  # it is to stop before the supervisor is told
        stuck.tell(gate.wait)
        top.child("a").tell(SystemExit(1))
        eventually(lambda: set(top.children()) == {"b"})
        assert top.is_alive()
        gate.set()
    assert lives(notes, "a") == 1


def test_a_supervisor_that_is_stopped_stops_its_children_and_says_so_behind_them():
    notes = []
    with ActorSystem(workers=4) as system:
        top = system.supervise(nested(OneForOne(), OneForAll(), notes))
        refs = [top.child(path) for path in ("a", "branch/b", "branch/c", "d")]
        answers = [ref.ask("x", block=False) for ref in refs]
        assert top.stop(timeout=20) is True
        assert [answer.get(timeout=0) for answer in answers] == [1] * 4
        assert [note for note in shown(notes) if note.startswith("stop")] == [
            *["stop d", "stop c", "stop b", "stop a"]
        ]
        assert not any(ref.is_alive() for ref in (top, *refs))
        assert system.children() == ()
        assert top.stop() is False


def test_a_branch_that_is_stopped_by_itself_comes_back_as_permanent_children_do():
    notes = []
    with ActorSystem() as system:
        top = system.supervise(nested(OneForOne(backoff=SOON), OneForAll(), notes))
        branch = top.child("branch")
        top.child("branch/c").ask("x")
        assert branch.stop(timeout=20) is True
        assert top.child("branch/c").ask("x", timeout=20) == 1
        assert (lives(notes, "b"), lives(notes, "c"), lives(notes, "a")) == (2, 2, 1)


def test_a_system_stops_while_a_child_waits_for_its_restart():
    notes = []
    with no_thread_left(), ActorSystem() as system:
        rule = RestForOne(backoff=Backoff(initial=3600, maximum=3600))
        top = system.supervise(tree(rule, "abc", notes))
        eventually(lambda: len(notes) == 3)
        ref = top.child("b")
        ref.tell(ValueError())
        waiting = ref.ask("x", block=False)
        eventually(lambda: shown(notes, 3) == ["fail b", "stop c"])
    assert waiting.get(timeout=0) == 1
    ended = ["stop c", "stop b", "stop a"]
    assert shown(notes, 3) == ["fail b", "stop c", "start b", "start c", *ended]


def test_a_child_that_does_not_end_is_named_and_keeps_no_sibling_from_stopping(caplog):
    notes, gate = [], threading.Event()
    system = ActorSystem(workers=4)
    top = system.supervise(nested(OneForOne(), OneForAll(), notes))
    eventually(lambda: len(notes) == 4)
    stuck = top.child("branch/c")
    stuck.tell(lambda _: gate.wait(60))
    system.shutdown(timeout=4)  # a fifth of it for those behind the stuck one
    (line,) = [r.message for r in caplog.records if "still busy" in r.message]
    assert "top/branch/c" in line
    assert "top/branch/b" not in line
    assert {name for what, name in notes if what == "stop"} == {"a", "b", "d"}
    gate.set()
    eventually(lambda: not system.children())
    assert not stuck.is_alive()


def test_nothing_of_a_stopped_tree_is_kept_alive():
    with ActorSystem() as system:
        top = system.supervise(nested(OneForOne(), OneForAll(), []))
        kept = [weakref.ref(actor) for actor in system.children()]
        top.child("d").ask("x")
        kept += [weakref.ref(behind(top.child(path))) for path in ("a", "branch/b", "d")]
        top.stop()
        del top
        eventually(lambda: (gc.collect(), not any(one() for one in kept))[1])


def test_a_child_is_found_without_a_look_at_its_siblings():
    class Names(dict):
        def __iter__(self):
            raise AssertionError("all names were gone through")

    with ActorSystem() as system:
        supervisor = system.supervise(tree(OneForOne(), "abc", []))
        child_slots = supervisor.child_slots
        names, child_slots._by_name = child_slots._by_name, Names(child_slots._by_name)
        try:
            assert supervisor.child("b") is names["b"].ref
        finally:
            child_slots._by_name = names


def test_what_is_collected_while_a_child_gets_its_place_may_ask_for_the_others(monkeypatch):
    with ActorSystem() as system:
        top, asked = system.supervise(tree(OneForOne(), "abc", [])), []

        def child(*args):  # where the collector may run a ``__del__``
            asked.extend((top.child("b"), *top.children()))
            return Child(*args)

        monkeypatch.setattr("actors_rs.runtime.supervision.child_slots.Child", child)
        (new,) = asked_on_another_thread(lambda: top.start_child(ChildSpec(Noting, ("d", []))))
        assert asked == [top.child("b"), "a", "b", "c"]
        assert new in top.children().values()
