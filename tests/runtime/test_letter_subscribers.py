# mypy: disable-error-code="union-attr"
"""Subscribers of the dead letters: what they get, what they miss, and that none costs memory."""

import gc
import threading
import weakref

import pytest

from actors_rs import UNBOUNDED, ActorSystem, PooledActor
from actors_rs.errors import InvalidArgumentError
from actors_rs.runtime.dead_letters.dead_letters import DeadLetters
from tests.runtime.support import DEADLINE, asked_on_another_thread, in_threads


class Reads:
    """A Subscriber that asks for ``first`` and keeps what comes."""

    def __init__(self, first=0):
        self.first = first
        self.subscription = None
        self.letters = []
        self.ends = []
        self.ended = threading.Event()

    def on_subscribe(self, subscription):
        self.subscription = subscription
        if self.first:
            subscription.request(self.first)

    def on_next(self, letter):
        self.letters.append(letter)

    def on_error(self, error):
        self.ends.append(error)
        self.ended.set()

    def on_complete(self):
        self.ends.append("complete")
        self.ended.set()

    @property
    def seen(self):
        return [letter.what for letter in self.letters]


def filled(count, **options):
    letters = DeadLetters(**options)
    for number in range(count):
        letters.record(number, where="here", why="because")
    return letters


def test_a_subscriber_gets_what_is_kept_and_what_follows():
    letters, reads = filled(3), Reads(UNBOUNDED)
    letters.subscribe(reads)
    letters.record("new", where="here", why="because")
    assert reads.seen == [0, 1, 2, "new"]
    assert [letter.number for letter in reads.letters] == [0, 1, 2, 3]


def test_subscribers_go_at_their_own_pace():
    letters, slow, fast = filled(5), Reads(1), Reads(UNBOUNDED)
    letters.subscribe(slow)
    letters.subscribe(fast)
    assert (slow.seen, fast.seen) == ([0], [0, 1, 2, 3, 4])
    slow.subscription.request(2)
    assert slow.seen == [0, 1, 2]


def test_a_subscriber_that_asks_too_late_misses_the_oldest_and_they_are_counted():
    letters, reads = DeadLetters(capacity=10), Reads(2)
    letters.subscribe(reads)
    for number in range(50):
        letters.record(number, where="here", why="because")
    assert letters.statistics().kept == 10
    reads.subscription.request(UNBOUNDED)
    assert reads.seen == [0, 1, *range(40, 50)]
    assert letters.statistics().missed == 38
    reads.subscription.cancel()
    assert (letters.statistics().missed, letters.statistics().subscribers) == (38, 0)


def test_the_completion_comes_behind_all_that_is_kept():
    letters, reads = filled(3), Reads(2)
    letters.subscribe(reads)
    letters.complete()
    letters.complete()
    assert (reads.seen, reads.ends) == ([0, 1], [])
    reads.subscription.request(1)
    assert (reads.seen, reads.ends) == ([0, 1, 2], ["complete"])


def test_without_letters_the_completion_needs_no_demand():
    letters, reads = DeadLetters(), Reads()
    letters.subscribe(reads)
    letters.complete()
    assert reads.ends == ["complete"]


def test_who_comes_after_the_end_gets_what_is_kept_and_the_completion():
    letters, reads = filled(3), Reads(UNBOUNDED)
    letters.complete()
    letters.subscribe(reads)
    assert (reads.seen, reads.ends) == ([0, 1, 2], ["complete"])


def test_a_request_for_nothing_ends_the_stream_with_rule_3_9():
    letters, reads = DeadLetters(), Reads()
    letters.subscribe(reads)
    reads.subscription.request(0)
    (error,) = reads.ends
    assert isinstance(error, ValueError)
    assert "3.9" in str(error)
    letters.record("x", where="here", why="because")
    assert reads.seen == []


def test_a_subscriber_that_raises_is_cancelled_and_becomes_a_letter_itself():
    class Bad(Reads):
        def on_next(self, letter):
            raise OSError("full")

    letters, bad, good = filled(2), Bad(UNBOUNDED), Reads(UNBOUNDED)
    letters.subscribe(bad)
    letters.subscribe(good)
    assert [type(letter.error) for letter in good.letters] == [type(None), type(None), OSError]
    assert letters.statistics().subscribers == 1


def test_a_letter_about_a_letter_is_counted_and_sent_to_nobody():
    letters, reads = filled(1), Reads(UNBOUNDED)
    letters.subscribe(reads)
    letters.publish(reads.letters[0], where="stage 'sink'", why="it failed")
    letters.complete()
    assert (reads.seen, reads.ends) == ([0], ["complete"])
    assert letters.total == 2


@pytest.mark.parametrize("wrong", [None, object(), "subscriber"])
def test_what_is_no_subscriber_is_refused(wrong):
    with pytest.raises(TypeError, match=r"rule 1\.9"):
        DeadLetters().subscribe(wrong)


def test_a_subscriber_that_has_cancelled_is_let_go():
    letters, reads = filled(1), Reads(UNBOUNDED)
    letters.subscribe(reads)
    reads.subscription.cancel()
    gone = weakref.ref(reads)
    del reads
    gc.collect()
    assert gone() is None


def test_a_subscriber_that_is_let_go_may_look_at_the_letters_as_it_goes():
    letters, seen, subscriptions = filled(2), [], []

    class Last:
        def on_subscribe(self, subscription):
            subscriptions.append(subscription)

        def on_next(self, letter):
            raise AssertionError(letter)

        on_error = on_complete = on_next

        def __del__(self):
            seen.extend(asked_on_another_thread(lambda: letters.total))

    letters.subscribe(Last())
    subscriptions[0].cancel()
    assert seen == [2]


def test_many_threads_publish_and_every_subscriber_sees_all_in_one_order():
    letters, readers = DeadLetters(capacity=4000), [Reads(UNBOUNDED) for _ in range(3)]

    def work(number):
        if number < 3:
            letters.subscribe(readers[number])
        for _ in range(500):
            letters.record(number, where="w", why="y")

    in_threads(6, work)
    letters.complete()
    for reads in readers:
        assert reads.ended.wait(20)
        assert [letter.number for letter in reads.letters] == list(range(3000))


class Stuck(PooledActor):
    """In its first message."""

    def __init__(self, begun, may):
        super().__init__()
        self.begun, self.may = begun, may

    def on_receive(self, message):
        self.begun.set()
        self.may.wait(DEADLINE)


def test_a_system_that_keeps_more_letters_loses_none_of_a_burst(may):
    with ActorSystem(dead_letters_kept=3_000) as system:
        reads, begun = Reads(UNBOUNDED), threading.Event()
        ref = system.spawn(Stuck, begun, may)
        for number in range(2_999):
            ref.tell(number)
        assert begun.wait(DEADLINE)
        system.dead_letters.subscribe(reads)
        ref.tell("last")
        system.stop_soon()
        may.set()
    assert [letter.what for letter in system.dead_letters.recent()] == [*range(1, 2_999), "last"]
    assert reads.ended.wait(DEADLINE)
    assert len(reads.seen) == 2_999
    assert system.dead_letters.statistics().missed == 0


def test_a_system_may_keep_more_letters_than_any_list_can_hold():
    with ActorSystem(dead_letters_kept=10**30) as system:
        system.dead_letters.publish("a letter", where="here", why="a test")
        assert system.dead_letters.statistics().kept == 1


def test_a_system_that_is_to_keep_no_letters_at_all_is_refused():
    with pytest.raises(
        InvalidArgumentError, match=r"^dead_letters_kept must be at least 1, got 0$"
    ):
        ActorSystem(dead_letters_kept=0)
