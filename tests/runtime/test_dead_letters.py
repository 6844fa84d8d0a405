# mypy: disable-error-code="arg-type, var-annotated"
"""Dead letters: kept, counted, bounded, logged once."""

import gc
import logging
import weakref

import pytest

from actors_rs import ActorSystem
from actors_rs.runtime.dead_letters.dead_letters import OTHER_CAUSES, DeadLetters
from tests.runtime.support import Recorder, asked_on_another_thread, in_threads


def test_a_letter_says_what_where_why_and_when():
    letters, error = DeadLetters(), ValueError("x")
    letters.publish("element", where="stage 'a'", why="no demand", error=error)
    (letter,) = letters.recent()
    assert (letter.what, letter.where, letter.why) == ("element", "stage 'a'", "no demand")
    assert letter.error is error
    assert letter.when > 0


def test_the_newest_are_kept_and_all_are_counted():
    letters = DeadLetters(capacity=3)
    for number in range(10):
        letters.publish(number, where="here", why="because")
    assert [letter.what for letter in letters.recent()] == [7, 8, 9]
    assert letters.total == 10
    assert letters.counts() == {("here", "because"): 10}


def test_a_flood_of_one_cause_is_one_line(caplog):
    letters = DeadLetters()
    for number in range(100):
        letters.publish(number, where="here", why="because")
    letters.publish(1, where="there", why="because")
    assert [record.message.split(":")[0] for record in caplog.records] == ["here", "there"]


def test_the_number_of_causes_told_apart_is_bounded(caplog):
    letters = DeadLetters(capacity=10)
    for number in range(100):
        letters.publish(1, where=f"actor {number}", why="because")
    assert letters.total == 100
    assert len(letters.counts()) == 11
    assert letters.counts()[OTHER_CAUSES] == 90
    assert len(caplog.records) == 11


def test_a_cause_that_was_quiet_for_a_minute_makes_room_for_one_that_is_logged_then(caplog):
    seconds = [0.0]
    letters = DeadLetters(capacity=3, now=lambda: seconds[0])
    for where, at in [("a", 0), ("b", 10), ("c", 20), ("d", 30), ("b", 71), ("e", 75), ("b", 80)]:
        seconds[0] = at
        letters.publish(1, where=where, why="because")
    heard = [record.message.split(":")[0] for record in caplog.records]
    assert heard == ["a", "b", "c", "d", "b", "e"]
    counts = {where: count for (where, _), count in letters.counts().items()}
    assert counts == {"b": 3, "c": 1, "e": 1, OTHER_CAUSES[0]: 2}  # of which one is "a"


def test_a_cause_heard_all_the_time_makes_no_room_for_a_new_one():
    seconds = [0.0]
    letters = DeadLetters(capacity=2, now=lambda: seconds[0])
    for where, at in [("often", 0), ("quiet", 1), ("often", 59), ("new", 60), ("new", 61)]:
        seconds[0] = at
        letters.publish(1, where=where, why="because")
    counts = {where: count for (where, _), count in letters.counts().items()}
    assert counts == {"often": 2, "new": 1, OTHER_CAUSES[0]: 2}  # of which one is "quiet"


def test_a_place_or_a_reason_that_is_no_text_is_recorded_as_its_type():
    letters = DeadLetters()
    letters.publish(1, where=None, why="because")
    letters.publish(1, where="here", why=["because"])
    assert list(letters.counts()) == [
        ("no text but None", "because"),
        ("here", "no text but a list"),
    ]


def test_a_flood_of_new_causes_is_logged_no_more_often_than_causes_are_told_apart(caplog):
    seconds = [0.0]
    letters = DeadLetters(capacity=5, now=lambda: seconds[0])
    for number in range(6000):
        seconds[0] = number / 50
        letters.publish(1, where=f"place {number}", why="because")
    assert letters.total == sum(letters.counts().values()) == 6000
    assert len(letters.counts()) <= 6
    assert len(caplog.records) <= 2 * 6


def test_actors_of_one_class_are_one_cause_and_each_letter_names_its_actor(caplog):
    with ActorSystem(dispatcher="calling_thread") as system:
        refs = [system.spawn(Recorder) for _ in range(20)]
        for ref in refs:
            ref.tell(lambda ref=ref: (ref.stop(block=False), ref.tell("unread")))
        letters = system.dead_letters
        assert [letter.where for letter in letters.recent()] == [str(ref) for ref in refs]
        (((where, _), count),) = letters.counts().items()
    assert (where, count) == ("Recorder", 20)
    assert len(caplog.records) == 1


def test_a_letter_that_cannot_be_printed_is_no_trouble():
    class Hostile:
        def __repr__(self):
            raise RuntimeError("no")

        __str__ = __repr__

    letters = DeadLetters()
    letters.publish(Hostile(), where="here", why="because")
    assert letters.total == 1


def test_what_is_pushed_out_may_look_at_the_letters_as_it_goes():
    letters, seen = DeadLetters(capacity=1), []

    class Last:
        def __del__(self):
            seen.extend(asked_on_another_thread(lambda: letters.total))

    letters.publish(Last(), where="here", why="because")
    letters.publish(1, where="here", why="because")
    assert seen == [2]


def test_what_is_collected_while_a_letter_is_recorded_may_write_one_of_its_own():
    class Cycle:
        def __init__(self):
            self.me = self

        def __del__(self):
            letters.publish("of the cycle", where="there", why="because")

    def wall_clock():  # is asked in the middle
        gc.collect()
        return 0.0

    letters = DeadLetters(wall_clock=wall_clock)
    Cycle()
    letters.publish("first", where="here", why="because")
    assert {letter.what for letter in letters.recent()} == {"first", "of the cycle"}


def test_letters_from_many_threads_are_all_counted():
    letters = DeadLetters()

    def flood(number):
        for _ in range(500):
            letters.publish(number, where="w", why=str(number))

    in_threads(4, flood)
    assert letters.total == 2000


@pytest.fixture
def stopped():
    """A system and an actor that stopped with three messages unread."""
    with ActorSystem(dispatcher="calling_thread") as system:
        ref = system.spawn(Recorder)

        def fill():
            ref.stop(block=False)
            for message in ("a", None, "c"):
                ref.tell(message)

        ref.tell(fill)
        yield system, ref


def test_unread_tells_become_dead_letters_in_order(stopped):
    system, ref = stopped
    assert [letter.what for letter in system.dead_letters.recent()] == ["a", None, "c"]
    assert {letter.where for letter in system.dead_letters.recent()} == {str(ref)}


def test_unread_stops_are_no_dead_letters():
    with ActorSystem(dispatcher="calling_thread") as system:
        ref = system.spawn(Recorder)
        again = []
        ref.tell(lambda: again.extend(ref.stop(block=False) for _ in range(3)))
        assert [future.get(timeout=0) for future in again] == [True, True, True]
        assert system.dead_letters.total == 0


def test_a_failure_that_nobody_waits_for_is_a_dead_letter(caplog):
    caplog.set_level(logging.INFO)
    with ActorSystem() as system:
        ref, error = system.spawn(Recorder), ValueError("nobody waits")
        ref.tell(error)
    (letter,) = system.dead_letters.recent()
    assert letter.error is error
    assert letter.why == "the actor failed"
    assert len([record for record in caplog.records if record.exc_info]) == 1


def test_the_error_of_a_letter_keeps_its_place_and_nothing_that_its_frames_held():
    class Big:
        pass

    def fails(held):
        raise ValueError("x")

    letters, big = DeadLetters(), Big()
    gone, error = weakref.ref(big), ValueError("one for all times")
    for _ in range(3):
        try:
            try:
                fails(big)
            except ValueError as cause:
                raise error from cause
        except ValueError:
            letters.publish("element", where="stage 'a'", why="because", error=error)
    del big
    gc.collect()
    assert gone() is None
    assert error.__notes__[0].startswith("raised in test_the_error_of_a_letter")
    assert len(error.__notes__) == 1
    assert "fails (" in str(vars(error.__cause__)["__notes__"])


def test_the_line_of_a_letter_says_what_it_is_about_if_it_is_about_something(caplog):
    DeadLetters().publish(None, where="stage 'map'", why="a stage failed")
    DeadLetters().publish({}, where="stage 'map'", why="a stage failed")
    assert caplog.messages == [
        "stage 'map': a stage failed",
        "stage 'map': a stage failed (a dict)",
    ]
