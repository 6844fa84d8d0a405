# mypy: disable-error-code="var-annotated, no-untyped-def, type-arg, method-assign"
"""The mailbox in every interleaving of its tellers and its turns."""

from collections import deque
from unittest.mock import patch

from actors_rs.runtime.actors import mailbox
from actors_rs.runtime.actors.mailbox import BOTH, EMPTY, Mailbox
from tests.threads.bounded import check_all, search
from tests.threads.controlled import check, explored
from tests.threads.dispatching import OnTheCallingThread

STOP = "stop"


class Model:
    """A mailbox whose turns run on the thread that schedules them.

    What it notes for the verdict is in deques of C code: hidden from the search, which would try
    all orders of the notes too.
    """

    def __init__(self):
        self.mailbox = Mailbox()
        self.mailbox.owner = self
        self.mailbox.end_turn()
        self.handled, self.refused, self.returned = deque(), deque(), deque()
        self.running, self.overlaps = deque(), deque()
        self._dispatcher_ = OnTheCallingThread()

    def _turn_(self):
        box, running = self.mailbox, self.running
        again = True
        while again:
            running.append("turn")
            if len(running) > 1:
                self.overlaps.append("two turns at a time")
            message = box.take()
            if message == STOP:
                self.returned.extend(box.close())
            elif message is not EMPTY:
                self.handled.append(message)
            running.pop()
            again = not box.closed and box.end_turn()

    def tell(self, message):
        if not self.mailbox.offer(message):
            self.refused.append(message)

    def ask_for_more(self, message):
        if not self.mailbox.offer_control(message):
            self.refused.append(message)


def tell(message):
    return lambda model: model.tell(message)


def each_once(*messages):
    def holds(model):
        seen = [*model.handled, *model.refused, *model.returned]
        return not model.overlaps and sorted(one for one in seen if one != STOP) == list(messages)

    return holds


def checked(threads, *messages, **options):
    return check_all(Model, threads, each_once(*messages), mailbox, shared=(Mailbox,), **options)


def test_two_tellers_and_a_stop_lose_nothing_and_never_run_two_turns_at_a_time():
    assert checked([tell(1), tell(2), tell(STOP)], 1, 2, alike=(0, 1)).runs > 100


def test_three_tellers_lose_nothing_in_any_interleaving():
    assert checked([tell(1), tell(2), tell(3)], 1, 2, 3).runs > 100


def test_three_tellers_and_a_stop_lose_nothing_with_two_preemptions():
    threads = [tell(1), tell(2), tell(3), tell(STOP)]
    assert checked(threads, 1, 2, 3, preemptions=2, alike=(0, 1, 2)).runs > 1_000


def test_both_lanes_lose_nothing():
    assert checked([tell(1), lambda model: model.ask_for_more(2), tell(STOP)], 1, 2).runs > 100


def test_two_tellers_lose_nothing_whatever_bytecode_they_are_switched_at():
    assert check(Model, [tell(1), tell(2)], each_once(1, 2), mailbox) > 2


def are_found(threads, *messages):
    """Whether both find the bug, those who switch at bytecodes and those who do at accesses."""
    holds = each_once(*messages)
    by_bytecode = explored(Model, threads, holds, mailbox)
    found = search(Model, threads, holds, mailbox, shared=(Mailbox,), preemptions=2)
    return not by_bytecode.property_holds and not found.holds


def test_a_turn_that_ends_without_the_lock_is_found():
    def careless(self, again=False):
        if again or self.data or self.control:
            return True
        self._scheduled = False
        return False

    with patch.object(Mailbox, "end_turn", careless):
        assert are_found([tell(1), tell(2)], 1, 2)


def test_a_put_that_looks_at_the_end_before_it_takes_the_lock_is_found():
    def careless(self, message):
        if self._open_lanes < BOTH:
            return False
        if (lane := self.data) is None:
            lane = self.data = deque()
        lane.append(message)
        with self._lock:
            scheduled, self._scheduled = self._scheduled, True
        if not scheduled:
            self.owner._turn_()
        return True

    with patch.object(Mailbox, "offer", careless):
        assert are_found([tell(1), tell(STOP)], 1)


def test_messages_of_one_teller_keep_their_order():
    def twice(model):
        model.tell(1)
        model.tell(2)

    def in_order(model):
        return model.handled.index(1) < model.handled.index(2)

    threads = [twice, tell(3)]
    check_all(Model, threads, in_order, mailbox, shared=(Mailbox,))
