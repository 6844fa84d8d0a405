# mypy: disable-error-code="func-returns-value, misc, union-attr, var-annotated"
"""Asks, tells, starts and stops that race: each is answered, none is lost, none hangs."""

import threading

import pytest
from pykka import ActorDeadError

from actors_rs import ActorSystem
from actors_rs.errors import InvalidArgumentError
from actors_rs.runtime._primitives import monotonic
from tests.runtime.support import Recorder, in_threads, no_thread_left

ASKS = 100_000
ASKERS = 4
EACH = 250


class Echo(Recorder):
    def on_receive(self, message):
        return message


def ask_until_dead(ref, answers):
    """Ask ``EACH`` times without waiting, then look at every answer; (answered, dead)."""
    answered = dead = 0
    for number, future in enumerate([ref.ask(n, block=False) for n in range(EACH)]):
        try:
            assert future.get(timeout=60) == number
            answered += 1
        except ActorDeadError:
            dead += 1
    answers.append((answered, dead))


@pytest.mark.usefixtures("switching_often")
def test_every_one_of_100_000_asks_that_race_a_stop_is_answered():
    answers = []
    with no_thread_left(), ActorSystem(workers=2) as system:
        for round_number in range(ASKS // (ASKERS * EACH)):
            ref, ready = system.spawn(Echo), threading.Barrier(ASKERS + 1)

            def race(number, ref=ref, ready=ready, late=round_number % 7):
                ready.wait()
                if number == 0:
                    for _ in range(late):
                        ref.tell("some time")
                    assert ref.stop(timeout=60) is True
                else:
                    ask_until_dead(ref, answers)

            in_threads(ASKERS + 1, race)
    assert sum(a + d for a, d in answers) == ASKS
    assert sum(d for _, d in answers) > 0, "nothing raced"
    assert sum(a for a, _ in answers) > 0, "nothing raced"


@pytest.mark.usefixtures("switching_often")
def test_every_tell_that_races_a_stop_is_handled_or_refused_or_a_dead_letter():
    for _ in range(60):
        handled, refused, ready = [], [], threading.Barrier(4)

        class Counting(Recorder):
            def on_receive(self, message, handled=handled):
                handled.append(message)

        with ActorSystem(workers=2) as system:
            ref = system.spawn(Counting)

            def race(number, ref=ref, ready=ready, refused=refused):
                ready.wait()
                if number == 0:
                    ref.stop()
                    return
                for one in range(100):
                    try:
                        ref.tell(one)
                    except ActorDeadError:
                        refused.append(one)

            in_threads(4, race)
        assert len(handled) + len(refused) + system.dead_letters.total == 300


@pytest.mark.usefixtures("switching_often")
def test_many_racing_stops_run_on_stop_once_and_all_return():
    for _ in range(100):
        with ActorSystem(workers=2) as system:
            ref = system.spawn(Recorder)
            actor, answers = ref._actor_weakref(), []
            in_threads(4, lambda _, ref=ref, answers=answers: answers.append(ref.stop(timeout=60)))
            assert True in answers
            assert len(answers) == 4
            assert actor.hooks.count("stop") == 1


@pytest.mark.usefixtures("switching_often")
def test_no_two_turns_of_an_actor_overlap():
    class Exclusive(Recorder):
        inside = worst = 0

        def on_receive(self, message):
            self.inside += 1
            self.worst = max(self.worst, self.inside)
            self.inside -= 1
            return self.worst

    with ActorSystem(workers=4) as system:
        ref = system.spawn(Exclusive)
        in_threads(4, lambda _: [ref.tell(n) for n in range(5000)])
        assert ref.ask("last") == 1


@pytest.mark.usefixtures("switching_often")
def test_actors_that_start_while_the_system_shuts_down_are_refused_or_stopped():
    for _ in range(60):
        system, started, ready = ActorSystem(workers=2), [], threading.Barrier(4)

        def race(number, system=system, started=started, ready=ready):
            ready.wait()
            if number == 0:
                system.shutdown(timeout=30)
                return
            try:
                started.extend(system.spawn(Recorder) for _ in range(20))
            except InvalidArgumentError:
                pass

        with no_thread_left():
            in_threads(4, race)
            system.shutdown()
        assert not any(ref.is_alive() for ref in started)


@pytest.mark.usefixtures("switching_often")
def test_several_threads_may_shut_the_same_system_down_and_none_waits_for_nothing():
    for _ in range(60):
        system = ActorSystem(workers=2)
        for _ in range(20):
            system.spawn(Recorder)
        started = monotonic()
        in_threads(4, lambda _, system=system: system.shutdown(timeout=60))
        assert monotonic() - started < 30
        assert system.children() == ()


@pytest.mark.usefixtures("switching_often")
def test_actors_that_ask_each_other_around_a_ring_all_answer():
    class Ring(Recorder):
        def on_receive(self, message):
            steps, ring, answer = message
            if steps == 0:
                answer.set(ring)
            else:
                ring[steps % len(ring)].tell((steps - 1, ring, answer))

    with ActorSystem(workers=4) as system:
        ring = [system.spawn(Ring) for _ in range(20)]
        answers = [Ring._create_future() for _ in range(20)]
        for start, answer in zip(ring, answers, strict=True):
            start.tell((2000, ring, answer))
        assert all(answer.get(timeout=60) is ring for answer in answers)
