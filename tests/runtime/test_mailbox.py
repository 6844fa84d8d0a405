# mypy: disable-error-code="var-annotated"
"""The mailbox: lanes, scheduling, closing."""

import sys
from collections import deque
from itertools import islice
from typing import Any

import pytest
from pykka import ActorDeadError

from actors_rs.runtime.actors.mailbox import EMPTY, LONG, Mailbox
from tests.runtime.support import in_threads


class Owner:
    """Of a mailbox, and its dispatcher too: keeps what is handed in."""

    _dispatcher_: Any

    def __init__(self):
        self.calls = []
        self.enqueue = self.calls.append
        self._dispatcher_ = self

    def enqueued(self):
        """Nothing."""

    def _turn_(self):
        """Never called."""


def opened():
    """An idle mailbox and the list that grows with each call for a turn."""
    mailbox, owner = Mailbox(), Owner()
    mailbox.owner = owner
    assert not mailbox.end_turn()
    return mailbox, owner.calls


def test_control_overtakes_data_and_each_lane_keeps_its_order():
    mailbox, _ = opened()
    mailbox.offer("d1")
    mailbox.offer_control("c1")
    mailbox.offer("d2")
    mailbox.offer_control("c2")
    assert [mailbox.take() for _ in range(5)] == ["c1", "c2", "d1", "d2", EMPTY]


@pytest.mark.parametrize("lane", ["data", "control"])
def test_a_lane_keeps_its_order_however_long_it_gets(lane):
    mailbox, _ = opened()
    offer = mailbox.offer if lane == "data" else mailbox.offer_control
    taken, given = [], iter(range(10 * LONG))
    for size in (1, LONG, 3 * LONG, 2, LONG + 1):
        for number in islice(given, size):
            offer(number)
        taken += [mailbox.take() for _ in range(size // 2)]
    while (message := mailbox.take()) is not EMPTY:
        taken.append(message)
    assert taken == list(range(next(given)))


def test_one_message_in_each_lane_takes_a_fraction_of_a_kib():
    def size_of_lanes(messages):
        mailbox, _ = opened()
        for number in range(messages):
            mailbox.offer(number)
            mailbox.offer_control(number)
        mailbox.take()
        return sys.getsizeof(mailbox.data) + sys.getsizeof(mailbox.control)

    assert size_of_lanes(1) < 256
    assert isinstance(opened_with(2 * LONG).data, deque), "the first of many takes one step"


def opened_with(messages):
    mailbox, _ = opened()
    for number in range(messages):
        mailbox.offer(number)
    mailbox.take()
    return mailbox


def test_who_empties_a_mailbox_from_outside_may_be_faster_than_its_turn():
    class Emptied(list):
        def __bool__(self):
            return True

    mailbox, _ = opened()
    mailbox.data = Emptied()
    assert mailbox.take() is EMPTY


def test_none_is_an_ordinary_message():
    mailbox, _ = opened()
    mailbox.put(None)
    assert not mailbox.empty()
    assert mailbox.take() is None
    assert mailbox.take() is EMPTY


@pytest.mark.parametrize("lane", ["offer", "offer_control"])
def test_many_messages_schedule_one_turn(lane):
    mailbox, calls = opened()
    for number in range(10):
        assert getattr(mailbox, lane)(number)
    assert len(calls) == 1


def test_a_turn_that_ends_with_messages_left_is_scheduled_by_its_runner():
    mailbox, calls = opened()
    mailbox.offer(1)
    mailbox.offer(2)
    mailbox.take()
    assert mailbox.end_turn() is True
    mailbox.take()
    assert mailbox.end_turn() is False
    mailbox.offer(3)
    assert len(calls) == 2


def test_a_turn_may_ask_for_another_without_messages():
    mailbox, calls = opened()
    mailbox.offer(1)
    mailbox.take()
    assert mailbox.end_turn(again=True) is True
    mailbox.offer(2)
    assert len(calls) == 1


def test_a_dormant_mailbox_keeps_messages_and_schedules_nothing():
    mailbox = Mailbox()
    assert mailbox.offer(1)
    assert mailbox.offer_control(2)
    assert len(mailbox) == 2


def test_closing_hands_back_unread_messages_control_first():
    mailbox, _ = opened()
    mailbox.offer("d1")
    mailbox.offer("d2")
    mailbox.offer_control("c")
    for _ in range(2):  # twice, as after an interrupt
        assert list(mailbox.close()) == ["c", "d1", "d2"]
    taken = iter(mailbox.take, EMPTY)
    assert list(taken) == ["c", "d1", "d2"]
    assert not mailbox.close()


def test_a_closed_mailbox_refuses_and_schedules_nothing():
    mailbox, calls = opened()
    mailbox.close()
    assert not mailbox.offer(1)
    assert not mailbox.offer_control(1)
    assert mailbox.closed
    with pytest.raises(ActorDeadError):
        mailbox.put(1)
    assert not calls
    assert mailbox.take() is EMPTY


def test_every_put_that_races_close_is_taken_or_handed_back_or_refused():
    for _ in range(50):
        mailbox, _ = opened()
        accepted, kept = [], []

        def race(number, mailbox=mailbox, accepted=accepted, kept=kept):
            if number == 0:
                while len(mailbox) < 50:
                    pass
                kept.extend(mailbox.take() for _ in range(20))
                kept.extend(mailbox.close())
                return
            own = [(number, n) for n in range(200)]
            accepted.extend(one for one in own if mailbox.offer(one))

        in_threads(4, race)
        assert sorted(kept) == sorted(accepted)


@pytest.mark.parametrize("lane", ["offer", "offer_control"])
def test_what_is_collected_while_a_message_is_put_may_put_one_of_its_own(lane):
    mailbox, calls = opened()

    class Lane(deque):
        def append(self, message):  # is called under the lock, where the collector may run
            if message == "first":
                getattr(mailbox, lane)("of a __del__")
            super().append(message)

    mailbox.data = mailbox.control = Lane()
    assert getattr(mailbox, lane)("first")
    assert list(mailbox.data) == ["of a __del__", "first"]
    assert len(calls) == 1


@pytest.mark.parametrize("lane", ["offer", "offer_control"])
def test_what_is_collected_while_a_turn_is_made_gets_that_turn_and_no_other(lane):
    class Collecting(Owner):
        collected = False

        @property
        def _turn_(self):  # as a bound method is, an object, for which the collector may run
            if not self.collected:
                self.collected = True
                getattr(mailbox, lane)("of a __del__")
            return super()._turn_

    mailbox, owner = Mailbox(), Collecting()
    mailbox.owner = owner
    mailbox.end_turn()
    assert getattr(mailbox, lane)("first")
    assert list(mailbox.data or mailbox.control or ()) == ["first", "of a __del__"]
    assert len(owner.calls) == 1
