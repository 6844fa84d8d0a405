# mypy: disable-error-code="arg-type, attr-defined, call-overload, dict-item, list-item"
# mypy: disable-error-code="method-assign, misc, union-attr, valid-type, var-annotated"
"""How trees are set up and changed while they run, and what is refused in a sentence."""

import threading

import pykka
import pytest

from actors_rs import ActorSystem
from actors_rs.errors import InvalidArgumentError
from actors_rs.runtime.supervision.child_spec import ChildSpec, Supervisor
from actors_rs.runtime.supervision.strategies import OneForAll, OneForOne
from actors_rs.runtime.supervision.supervised import Down
from tests.runtime.family import SOON, Noting, lives, noting, shown, tree
from tests.runtime.support import Recorder, behind, eventually, in_threads


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: ChildSpec(int), "a child needs a PooledActor class, got <class 'int'>"),
        (lambda: ChildSpec(pykka.ThreadingActor), "a child needs a PooledActor class"),
        (lambda: ChildSpec(Noting, "abc"), "child's args must be a tuple or list, got 'abc'"),
        (lambda: ChildSpec(Noting, 5), "child's args must be a tuple or list, got 5"),
        (lambda: ChildSpec(Noting, kwargs=None), r"kwargs must be a dict .*, got None"),
        (lambda: ChildSpec(Noting, kwargs=[1]), r"kwargs must be a dict .*, got \[1\]"),
        (lambda: ChildSpec(Noting, kwargs={1: 2}), r"kwargs must be a dict .*, got {1: 2}"),
        (
            lambda: Supervisor(OneForOne(), ChildSpec(Noting)),
            r"a supervisor's children must be a list, got ChildSpec\(",
        ),
        (lambda: ChildSpec(Noting, restart="often"), "restart must be 'permanent', .* 'often'"),
        (lambda: ChildSpec(Noting, name="a/b"), "name must be a text without '/', got 'a/b'"),
        (lambda: ChildSpec(Noting, name=7), "name must be a text without '/', got 7"),
        (lambda: Supervisor("one_for_one"), "strategy must be OneForOne.* got 'one_for_one'"),
        (lambda: Supervisor(OneForOne), "strategy must be OneForOne.* got <class"),
        (
            lambda: Supervisor(OneForOne(), [Noting]),
            "a child must be a ChildSpec or a Supervisor, got",
        ),
        (lambda: Supervisor(OneForOne(), restart="no"), "restart must be 'permanent'"),
        (
            lambda: Supervisor(OneForOne(), [ChildSpec(Noting, name="a")] * 2),
            "names of siblings must differ, got 'a' twice",
        ),
    ],
)
def test_a_tree_that_makes_no_sense_is_refused_when_it_is_described(make, sentence):
    with pytest.raises(InvalidArgumentError, match=sentence):
        make()


def test_an_unknown_dispatcher_is_refused_before_anything_starts():
    wrong = type("Wrong", (Noting,), {"dispatcher": "nowhere"})
    with ActorSystem() as system:
        with pytest.raises(InvalidArgumentError, match="dispatcher must be"):
            system.supervise(tree(OneForOne(), "a", [], kind=wrong))
        with pytest.raises(InvalidArgumentError, match="supervise needs a Supervisor, got 7"):
            system.supervise(7)
        assert system.children() == ()
    with pytest.raises(InvalidArgumentError, match="was shut down"):
        system.supervise(tree(OneForOne(), "a", []))


def test_children_without_a_name_are_called_after_their_class_and_told_apart_by_numbers():
    specs = [ChildSpec(Noting, ("x", [])) for _ in range(3)]
    inner = Supervisor(OneForOne(), specs[:1], name="inner")
    with ActorSystem() as system:
        top = system.supervise(Supervisor(OneForOne(), [*specs, inner]))
        assert list(top.children()) == ["Noting", "Noting-2", "Noting-3", "inner"]
        assert top.child("inner/Noting").ask("x") == 1
        assert str(behind(top.child("inner/Noting"))).startswith(
            "Noting 'supervisor/inner/Noting' (urn:"
        )
        with pytest.raises(
            InvalidArgumentError,
            match="'supervisor' has no child 'x', its children are: Noting, Noting-2, Noting-3, i",
        ):
            top.child("x")
        with pytest.raises(InvalidArgumentError, match="has no child 'Noting/x'"):
            top.child("Noting/x")


def test_a_child_started_later_is_one_like_the_others():
    notes = []
    with ActorSystem() as system:
        top = system.supervise(tree(OneForAll(backoff=SOON), "ab", notes))
        late = top.start_child(*noting("c", notes))
        assert late.ask("x") == 1
        assert top.child("c") is late
        with pytest.raises(InvalidArgumentError, match="names of siblings must differ"):
            top.start_child(*noting("c", notes))
        with pytest.raises(InvalidArgumentError, match="a child must be a ChildSpec"):
            top.start_child(Noting)
        top.child("a").tell(ValueError())
        eventually(lambda: lives(notes, "c") == 2)
        late.ask("x")
        inner = top.start_child(tree(OneForOne(), "de", notes))
        assert inner.child("e").ask("x") == 1
    assert [note for note in shown(notes) if note.startswith("stop")][-5:] == [
        *["stop e", "stop d", "stop c", "stop b", "stop a"]
    ]
    with pytest.raises(InvalidArgumentError, match="supervisor 'tree' has stopped"):
        top.start_child(*noting("z", notes))
    with pytest.raises(InvalidArgumentError, match="supervisor 'tree' has no child 'a'"):
        top.stop_child("a")


def test_children_may_be_started_from_many_threads_at_once():
    notes = []
    with ActorSystem() as system:
        top = system.supervise(Supervisor(OneForOne()))
        in_threads(4, lambda n: [top.start_child(ChildSpec(Noting, (n, notes))) for _ in range(50)])
        refs = list(top.children().values())
        assert [ref.ask("x", timeout=20) for ref in refs] == [1] * 200
    assert len(notes) == 400


def test_a_child_stopped_for_good_handles_what_it_has_and_frees_its_name():
    notes, gate = [], threading.Event()
    with ActorSystem() as system:
        top = system.supervise(tree(OneForAll(backoff=SOON), "ab", notes))
        ref = top.child("b")
        ref.tell(lambda _: gate.wait(20) and None)
        answer = ref.ask("x", block=False)
        stopping = top.stop_child("b", block=False)
        gate.set()
        assert stopping.get(timeout=20) is True
        assert answer.get(timeout=0) == 1
        assert not ref.is_alive()
        assert lives(notes, "a") == 1
        again = top.start_child(*noting("b", notes))
        assert again.ask("x") == 1
        assert again.actor_urn != ref.actor_urn


def test_a_child_of_a_child_is_stopped_for_good_by_its_path():
    notes = []
    inner = Supervisor(OneForOne(), noting("ab", notes), name="inner")
    with ActorSystem() as system:
        top = system.supervise(Supervisor(OneForOne(), [inner]))
        ref = top.child("inner/a")
        assert top.stop_child("inner/a", timeout=20) is True
        assert not ref.is_alive()
        assert list(top.child("inner").children()) == ["b"]
        for path in ("inner/a", "outer/b", "inner/b/c"):
            with pytest.raises(InvalidArgumentError, match=f"has no child '{path[6:]}'|'{path}'"):
                top.stop_child(path)


def test_a_child_that_ends_while_it_is_looked_up_has_been_stopped():
    class Ending(dict):
        def get(self, name, default=None):
            return self.pop(name, default)

    with ActorSystem() as system:
        top = system.supervise(tree(OneForOne(), "a", []))
        top.child_slots._by_name = Ending(top.child_slots._by_name)
        assert top.stop_child("a", timeout=20) is True


def test_a_child_that_fails_instead_of_stopping_for_good_has_ended_too():
    notes, gate = [], threading.Event()
    with ActorSystem() as system:
        top = system.supervise(tree(OneForAll(backoff=SOON), "ab", notes))
        ref = top.child("b")
        ref.tell(lambda _: gate.wait(20) and None)
        ref.tell(ValueError())
        stopping = top.stop_child("b", block=False)
        top.child("a").ask("x")
        gate.set()
        assert stopping.get(timeout=20) is True
        assert not ref.is_alive()
        assert set(top.children()) == {"a"}
    assert shown(notes)[2:] == ["fail b", "stop a"]


class Taken(Noting):
    """Its class and arguments are all that is needed to make its successor."""


@pytest.mark.parametrize("dispatcher", ["pool", "pinned", "calling_thread"])
def test_an_actor_that_runs_already_can_be_supervised(dispatcher):
    kind, notes = type("Kind", (Taken,), {"dispatcher": dispatcher}), []
    with ActorSystem() as system:
        top = system.supervise(tree(OneForOne(backoff=SOON), "a", notes))
        ref = system.spawn(kind, "t", notes)
        assert [ref.ask("x"), ref.ask("x")] == [1, 2]
        top.supervise(ref, args=("t", notes), name="taken")
        assert top.child("taken") is ref
        assert ref.ask("x") == 3
        ref.tell(ValueError())
        assert ref.ask("x", timeout=20) == 1
    assert shown(notes)[-2:] == ["stop t", "stop a"]


def test_a_supervisor_that_runs_already_can_be_supervised_with_all_its_children():
    notes = []
    with ActorSystem() as system:
        top = system.supervise(Supervisor(OneForOne(backoff=SOON), name="top"))
        low = system.supervise(tree(OneForOne(0, backoff=SOON), "ab", notes))
        a, b = low.child("a"), low.child("b")
        top.supervise(low)
        assert top.child("tree") is low
        assert top.child("tree/a") is a
        a.tell(ValueError())
        assert b.ask("x") in (1, 2)
        eventually(lambda: lives(notes, "b") == 2)
        assert (a.ask("x", timeout=20), b.ask("x", timeout=20)) == (1, 1)
        assert top.is_alive()


def test_who_cannot_be_supervised_is_told_why():
    with ActorSystem() as system, ActorSystem() as elsewhere:
        top = system.supervise(tree(OneForOne(), "a", []))
        other = system.supervise(Supervisor(OneForOne(), name="other"))
        dead = system.spawn(Recorder)
        dead.stop()
        with pytest.raises(InvalidArgumentError, match="only a living actor can be supervised, "):
            top.supervise(dead)
        with pytest.raises(InvalidArgumentError, match="supervise needs the ref of a PooledActor"):
            top.supervise(7)
        with pytest.raises(InvalidArgumentError, match="an actor has one supervisor, and Noting"):
            other.supervise(top.child("a"))
        taken = system.spawn(Recorder)
        top.supervise(taken)
        with pytest.raises(InvalidArgumentError, match="an actor has one supervisor"):
            other.supervise(taken)
        foreign = elsewhere.spawn(Recorder)
        with pytest.raises(InvalidArgumentError, match="lives in another system than 'tree'"):
            top.supervise(foreign)
        other.stop()
        free = system.spawn(Recorder)
        with pytest.raises(InvalidArgumentError, match="supervisor 'other' has stopped"):
            other.supervise(free)
        top.supervise(free)


def test_a_cycle_of_supervisors_is_refused():
    with ActorSystem() as system:
        first, second, third = (
            system.supervise(Supervisor(OneForOne(), name=name)) for name in ("1st", "2nd", "3rd")
        )
        first.supervise(second)
        second.supervise(third)
        for below in (second, third):
            with pytest.raises(
                InvalidArgumentError,
                match=f"'1st' is already above '{below.child_slots.path}'",
            ):
                below.supervise(first)
        with pytest.raises(InvalidArgumentError, match="'1st' is already above '1st'"):
            first.supervise(first)


def test_two_supervisors_that_race_for_each_other_make_no_cycle():
    for _ in range(30):
        with ActorSystem() as system:
            pair = [system.supervise(Supervisor(OneForOne(), name=name)) for name in "ab"]
            refused = []

            def take(n, pair=pair, refused=refused):
                try:
                    pair[n].supervise(pair[1 - n])
                except InvalidArgumentError as error:
                    refused.append(str(error))

            in_threads(2, take)
            assert len(refused) == 1


def test_an_actor_that_ends_while_it_is_taken_is_accounted_for():
    for _ in range(100):
        with ActorSystem(workers=2) as system:
            top = system.supervise(Supervisor(OneForOne(backoff=SOON)))
            ref = system.spawn(Recorder)

            def race(n, ref=ref, top=top):
                if n:
                    ref.tell(ValueError())
                    return
                try:
                    top.supervise(ref, restart="temporary")
                except InvalidArgumentError:
                    pass

            in_threads(2, race)
            assert ref.actor_stopped.wait(20)
            eventually(lambda top=top: top.children() == {})


def stop_and_meanwhile(top, act):
    """Stop a supervisor; ``act`` is called when it takes messages still and reads none any more."""
    close = top.child_slots.close

    def close_late():
        act()
        close()

    top.child_slots.close = close_late
    assert top.stop(timeout=20) is True


def holds_a(kind, ref):
    return any(isinstance(message, kind) for message in behind(ref).actor_inbox.control or ())


def test_an_actor_taken_by_a_supervisor_that_is_just_ending_stops_with_it():
    notes = []
    with ActorSystem(workers=2) as system:
        top = system.supervise(Supervisor(OneForOne()))
        ref = system.spawn(Noting, "t", notes)
        stop_and_meanwhile(top, lambda: top.supervise(ref))
        assert ref.actor_stopped.wait(20)
        eventually(lambda: system.children() == () and top.children() == {})
    assert shown(notes) == ["start t", "stop t"]


def test_stop_child_answers_behind_the_end_of_a_child_whose_supervisor_was_just_ending():
    may_stop, answers = threading.Event(), []

    class Slow(Recorder):
        def on_stop(self):
            may_stop.wait(20)

    with ActorSystem(workers=2) as system:
        top = system.supervise(Supervisor(OneForOne()))
        ref = system.spawn(Slow)

        def take_and_remove():
            top.supervise(ref, name="t")
            answers.append(top.stop_child("t", block=False))

        stop_and_meanwhile(top, take_and_remove)
        (answer,) = answers
        with pytest.raises(pykka.Timeout):
            answer.get(timeout=0)
        may_stop.set()
        assert answer.get(timeout=20) is True
        assert not ref.is_alive()


def test_an_actor_that_learns_of_its_supervisor_behind_the_end_of_both_has_ended():
    notes, accepted, ended = [], threading.Event(), threading.Event()
    with ActorSystem(workers=2) as system:
        top = system.supervise(Supervisor(OneForOne()))
        ref = system.spawn(Noting, "t", notes)
        tell = top.child_slots.tell
        taker = threading.Thread(target=top.supervise, args=(ref,), daemon=True)

        def tell_and_wait(message):
            tell(message)
            accepted.set()
            ended.wait(20)

        def take():
            top.child_slots.tell = tell_and_wait
            taker.start()
            assert accepted.wait(20)

        stop_and_meanwhile(top, take)
        assert ref.actor_stopped.wait(20)
        ended.set()
        taker.join(20)
        eventually(lambda: system.children() == () and top.children() == {})
    assert shown(notes) == ["start t", "stop t"]


def test_an_actor_that_fails_when_its_new_supervisor_hears_nothing_any_more_has_ended():
    notes = []
    with ActorSystem(workers=2) as system:
        top = system.supervise(Supervisor(OneForOne()))
        ref = system.spawn(Noting, "t", notes)

        def take():
            top.supervise(ref, args=("t", notes))
            ref.tell(ValueError())
            eventually(lambda: holds_a(Down, top))

        stop_and_meanwhile(top, take)
        assert ref.actor_stopped.wait(20)
        eventually(lambda: system.children() == () and top.children() == {})
    assert shown(notes) == ["start t", "fail t"]
