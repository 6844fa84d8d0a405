# mypy: disable-error-code="func-returns-value, misc, union-attr, valid-type, var-annotated"
"""Supervision: who is restarted, with what mailbox and address, and who sees what."""

import contextvars
import threading

import pytest
from pykka import ActorDeadError

from actors_rs import ActorSystem, PooledActor
from actors_rs.errors import IllegalStateError, RestartLimitError
from actors_rs.runtime.supervision.child_spec import ChildSpec, Supervisor
from actors_rs.runtime.supervision.strategies import OneForAll, OneForOne, RestForOne
from tests.runtime.family import SOON, STRATEGIES, Noting, lives, noting, shown, tree
from tests.runtime.support import Recorder, behind, eventually, raises_at_the_end


@pytest.fixture(params=["pool", "pinned", "calling_thread"])
def kind(request):
    return type("Kind", (Noting,), {"dispatcher": request.param})


def failing(system, ref, notes, name):
    """Tell the child to fail and wait for its successor."""
    before = lives(notes, name)
    ref.tell(ValueError(f"told {name}"))
    eventually(lambda: lives(notes, name) > before)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_children_start_in_order_and_stop_in_reverse_order(strategy):
    notes = []
    with ActorSystem(workers=4) as system:
        top = system.supervise(tree(strategy(), "abcd", notes))
        top.child("d").ask(1)
        eventually(lambda: len(notes) == 4)
        begun = shown(notes)
    if strategy is not OneForOne:  # whose children have nothing to do with each other
        assert begun == ["start a", "start b", "start c", "start d"]
    assert shown(notes, 4) == ["stop d", "stop c", "stop b", "stop a"]


def test_a_child_has_its_address_before_it_has_started(kind):
    gate, notes = threading.Event(), []

    class Late(kind):
        def __init__(self, *args):
            gate.wait(20)
            super().__init__(*args)

    if kind.dispatcher == "calling_thread":
        gate.set()
    with ActorSystem() as system:
        ref = system.supervise(tree(OneForOne(), "a", notes, kind=Late)).child("a")
        answer = ref.ask("x", block=False)
        assert ref.is_alive()
        gate.set()
        assert answer.get(timeout=20) == 1


def test_a_failed_child_starts_afresh_with_the_messages_it_had_and_the_same_address(kind):
    notes = []
    with ActorSystem() as system:
        ref = system.supervise(tree(OneForOne(backoff=SOON), "a", notes, kind=kind)).child("a")
        assert [ref.ask("x"), ref.ask("x")] == [1, 2]
        urn, first = ref.actor_urn, behind(ref)
        ref.tell(ValueError())
        answers = [ref.ask("x", block=False) for _ in range(3)]
        assert [answer.get(timeout=20) for answer in answers] == [1, 2, 3]  # a fresh count
        assert behind(ref) is not first
        assert (ref.actor_urn, behind(ref).actor_urn, behind(ref).actor_ref) == (urn, urn, ref)
        assert ref.is_alive()
    assert shown(notes) == ["start a", "fail a", "start a", "stop a"]


def test_the_restarted_actor_knows_its_own_address_in_its_constructor():
    class Telling(PooledActor):
        def __init__(self, seen):
            super().__init__()
            seen.append(self.actor_ref)

        def on_receive(self, message):
            raise message

    seen = []
    with ActorSystem() as system:
        top = system.supervise(Supervisor(OneForOne(backoff=SOON), [ChildSpec(Telling, (seen,))]))
        top.child("Telling").tell(ValueError())
        eventually(lambda: len(seen) == 2)
        assert seen == [top.child("Telling")] * 2


@pytest.mark.parametrize(
    ("strategy", "expected"),
    [
        (OneForOne, ["fail b", "start b"]),
        (RestForOne, ["fail b", "stop d", "stop c", "start b", "start c", "start d"]),
        (
            OneForAll,
            ["fail b", "stop d", "stop c", "stop a", "start a", "start b", "start c", "start d"],
        ),
    ],
)
def test_each_strategy_restarts_whom_it_says_in_order(kind, strategy, expected):
    notes = []
    with ActorSystem(workers=4) as system:
        top = system.supervise(tree(strategy(backoff=SOON), "abcd", notes, kind=kind))
        eventually(lambda: len(notes) == 4)
        top.child("b").tell(ValueError())
        eventually(lambda: len(notes) == 4 + len(expected))
        assert shown(notes, 4) == expected


def test_a_failing_on_start_reaches_the_supervisor_which_tries_again(kind):
    notes, left = [], [2]

    class Reluctant(kind):
        def on_start(self):
            super().on_start()
            if left[0]:
                left[0] -= 1
                raise ValueError("not yet")

    with ActorSystem() as system:
        ref = system.supervise(tree(OneForAll(backoff=SOON), "a", notes, kind=Reluctant)).child("a")
        assert ref.ask("x", timeout=20) == 1
    assert shown(notes) == ["start a", "fail a"] * 2 + ["start a", "stop a"]


def test_a_failing_constructor_reaches_the_supervisor_which_tries_again(kind, caplog):
    left = [2]

    class Reluctant(kind):
        def __init__(self, *args):
            if left[0]:
                left[0] -= 1
                raise ValueError("not yet")
            super().__init__(*args)

    with ActorSystem() as system:
        ref = system.supervise(tree(OneForOne(backoff=SOON), "a", [], kind=Reluctant)).child("a")
        assert ref.ask("x", timeout=20) == 1
    assert caplog.text.count("'tree/a' could not be made") == 2


def test_a_constructor_that_forgets_its_super_is_a_failure_that_says_so():
    class Forgetful(PooledActor):
        def __init__(self):
            pass

    spec = Supervisor(OneForOne(max_restarts=0), [ChildSpec(Forgetful)])
    with raises_at_the_end(RestartLimitError, match="must call super"), ActorSystem() as system:
        ref = system.supervise(spec).child("Forgetful")
        with pytest.raises(ActorDeadError):
            ref.ask("x", timeout=20)


@pytest.mark.parametrize(
    ("restart", "failed", "stopped"),
    [("permanent", True, True), ("transient", True, False), ("temporary", False, False)],
)
def test_who_lives_again_after_a_failure_and_after_an_orderly_end(kind, restart, failed, stopped):
    notes = []
    with ActorSystem() as system:
        for number, (again, end) in enumerate([(failed, False), (stopped, True)]):
            name = "ab"[number]
            spec = ChildSpec(kind, (name, notes), name=name, restart=restart)
            ref = system.supervise(Supervisor(OneForOne(backoff=SOON), [spec])).child(name)
            ref.ask("x")
            if end:
                assert ref.stop(timeout=20) is True
            else:
                ref.tell(ValueError())
            if again:
                eventually(lambda name=name: lives(notes, name) == 2)
                assert ref.ask("x") == 1
            else:
                assert ref.actor_stopped.wait(20)
                with pytest.raises(ActorDeadError):
                    ref.ask("x", timeout=20)
                assert ref.stop() is False
                assert lives(notes, name) == 1


@pytest.mark.parametrize("strategy", [OneForAll, RestForOne])
def test_a_sibling_that_has_ended_is_not_started_again_and_a_temporary_one_neither(strategy):
    notes = []
    children = [
        *noting("a", notes),
        *noting("b", notes, restart="transient"),
        *noting("c", notes, restart="temporary"),
        *noting("d", notes, restart="transient"),
    ]
    with ActorSystem(workers=4) as system:
        top = system.supervise(Supervisor(strategy(backoff=SOON), children))
        eventually(lambda: len(notes) == 4)
        done, gone, kept = top.child("b"), top.child("c"), top.child("d")
        done.stop()
        eventually(lambda: "b" not in top.children())
        top.child("a").tell(ValueError())
        eventually(lambda: lives(notes, "d") == 2)
        assert set(top.children()) == {"a", "d"}
        assert shown(notes, 5) == ["fail a", "stop d", "stop c", "start a", "start d"]
        assert kept.is_alive()
        assert not gone.is_alive()


def test_the_message_that_failed_a_child_is_a_dead_letter_that_says_which_and_why():
    error = ValueError("x")
    with ActorSystem() as system:
        ref = system.supervise(tree(OneForOne(backoff=SOON), "a", [])).child("a")
        ref.tell(error)
        assert ref.ask("x", timeout=20) == 1
        (letter,) = system.dead_letters.recent()
        assert (letter.what, letter.error, letter.why) == (error, error, "the actor failed")
        assert "tree/a" in letter.where


class Flaky(Noting):
    """Fails at its first messages, over all its lives."""

    def __init__(self, name, notes, left, error=ValueError):
        super().__init__(name, notes)
        self.left, self.error = left, error

    def on_receive(self, message):
        if self.left[0]:
            self.left[0] -= 1
            raise self.error("not yet")
        self.notes.append(("got", message))
        return message


def flaky(strategy, notes, left):
    return Supervisor(strategy, [ChildSpec(Flaky, ("a", notes, left), name="a")])


@pytest.mark.parametrize("ask", [True, False])
def test_with_retry_the_restarted_child_gets_the_message_again_and_before_all_others(ask):
    notes = []
    retry = OneForOne(backoff=SOON, failed_message="retry")
    with ActorSystem() as system:
        ref = system.supervise(flaky(retry, notes, [2])).child("a")
        answer = ref.ask("first", block=False) if ask else ref.tell("first")
        assert ref.ask("second", timeout=20) == "second"
        assert answer is None or answer.get(timeout=20) == "first"
        assert system.dead_letters.total == 0
    assert [what for got, what in notes if got == "got"] == ["first", "second"]
    assert lives(notes, "a") == 3


@pytest.mark.parametrize("ask", [True, False])
def test_with_retry_a_message_that_always_fails_ends_in_escalation_and_is_accounted_for(ask):
    retry = OneForOne(max_restarts=2, backoff=SOON, failed_message="retry")
    with raises_at_the_end(RestartLimitError), ActorSystem() as system:
        ref = system.supervise(flaky(retry, [], [1000])).child("a")
        answer = ref.ask("poison", block=False) if ask else ref.tell("poison")
        eventually(lambda: not system.children())
    if answer is not None:
        with pytest.raises(ActorDeadError, match="ended while handling") as dead:
            answer.get(timeout=20)
        assert type(dead.value.__cause__) is ValueError
    whats = [letter.what for letter in system.dead_letters.recent()]
    assert ("poison" in whats) is not ask


def test_with_retry_who_asked_a_child_that_never_lives_again_is_told_so_with_the_error():
    retry = OneForOne(backoff=SOON, failed_message="retry")
    with ActorSystem() as system:
        top = system.supervise(tree(retry, "a", [], restart="temporary"))
        error = ValueError("x")
        with pytest.raises(ActorDeadError) as dead:
            top.child("a").ask(error, timeout=20)
        assert dead.value.__cause__ is error
        eventually(lambda: top.children() == {})
        assert system.dead_letters.total == 0  # the one who asked has heard of it


def test_an_exception_that_answers_an_ask_is_no_failure_of_a_supervised_actor_either():
    notes = []
    with ActorSystem() as system:
        ref = system.supervise(flaky(OneForOne(), notes, [1])).child("a")
        with pytest.raises(ValueError, match="not yet"):
            ref.ask("x")
        assert ref.ask("y") == "y"
    assert lives(notes, "a") == 1


def test_a_proxy_of_a_child_goes_on_working_after_a_restart():
    notes = []
    with ActorSystem() as system:
        ref = system.supervise(tree(OneForOne(backoff=SOON), "a", notes)).child("a")
        proxy = ref.proxy()  # also before the child has started
        assert proxy.count.get(timeout=20) == 0
        ref.ask("x")
        failing(system, ref, notes, "a")
        assert proxy.count.get(timeout=20) == 0


def test_a_broadcast_reaches_children_after_a_restart_too():
    from pykka import ActorRegistry

    notes = []
    with ActorSystem() as system:
        ref = system.supervise(tree(OneForOne(backoff=SOON), "a", notes)).child("a")
        failing(system, ref, notes, "a")
        ActorRegistry.broadcast("x")
        eventually(lambda: ref.ask("x") >= 2)
        assert [letter.why for letter in system.dead_letters.recent()] == [
            "the actor failed",
            "a supervisor takes no messages",
        ]


def test_the_watcher_of_a_child_hears_of_its_end_and_not_of_its_restarts():
    notes = []

    class Watching(Noting):
        def on_receive(self, message):
            if isinstance(message, PooledActor):
                self.watch(message.actor_ref)
            elif message != "x":
                self.notes.append(("heard", message.ref.actor_urn))

    with ActorSystem() as system:
        top = system.supervise(tree(OneForOne(backoff=SOON), "a", notes))
        ref, watcher = top.child("a"), system.spawn(Watching, "w", notes)
        ref.ask("x")
        watcher.ask(behind(ref))
        failing(system, ref, notes, "a")
        assert not [what for what, _ in notes if what == "heard"]
        assert top.stop_child("a", timeout=20) is True
        eventually(lambda: ("heard", ref.actor_urn) in notes)


def test_a_supervised_actor_may_use_a_thread_of_its_own_for_all_its_lives():
    threads = []

    class Pinned(Noting):
        dispatcher = "pinned"

        def on_start(self):
            super().on_start()
            threads.append(threading.get_ident())

    notes = []
    with ActorSystem() as system:
        ref = system.supervise(tree(OneForOne(backoff=SOON), "a", notes, kind=Pinned)).child("a")
        failing(system, ref, notes, "a")
        failing(system, ref, notes, "a")
        ref.ask("x")
    assert len(set(threads)) == 1
    assert len(threads) == 3


def test_a_child_finds_its_siblings_by_name_through_its_supervisor():
    found = []

    class Asking(PooledActor):
        def __init__(self):
            super().__init__()
            found.append(self.supervisor.child("a"))

        def on_receive(self, message):
            return self.supervisor

    with ActorSystem() as system:
        children = [*noting("a", []), ChildSpec(Asking)]
        top = system.supervise(Supervisor(OneForOne(), children))
        assert top.child("Asking").ask("x") is top
        assert found == [top.child("a")]
        alone = behind(system.spawn(Recorder))
        with pytest.raises(IllegalStateError, match=r"Recorder .* has no supervisor"):
            _ = alone.supervisor


def test_what_a_child_leaves_in_its_context_is_not_there_in_its_next_life():
    mine, found = contextvars.ContextVar("mine", default="nothing"), []

    class Leaving(Noting):
        def on_start(self):
            super().on_start()
            found.append(mine.get())
            mine.set("of an earlier life")

    notes = []
    mine.set("of the one who set it up")
    with ActorSystem() as system:
        top = system.supervise(tree(OneForOne(backoff=SOON), "a", notes, kind=Leaving))
        failing(system, top.child("a"), notes, "a")
        top.child("a").ask("x")
    assert found == ["of the one who set it up"] * 2
