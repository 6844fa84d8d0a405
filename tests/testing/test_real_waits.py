# mypy: disable-error-code="no-any-return, func-returns-value"
"""What waits for real in a world, by a call of C, is told before; what does not wait is not."""

import datetime
import select
import threading
import uuid

import pytest

from actors_rs.errors import WorldError
from actors_rs.testing.explore import Plan, check_scenario

pytestmark = pytest.mark.usefixtures("by_itself")

HELD = threading.Lock()
FREE = threading.Lock()
SECONDS = 0.001
NO_SECONDS = (0, 0.0)
needs_poll = pytest.mark.skipif(not hasattr(select, "poll"), reason="no poll on this system")


@pytest.fixture(autouse=True)
def held():
    with HELD:
        yield


class Moment(datetime.datetime):
    pass


class Day(datetime.date):
    pass


LOCKS = {
    "for ever": lambda: HELD.acquire(),
    "named seconds": lambda: HELD.acquire(timeout=0.001),
    "seconds": lambda: HELD.acquire(True, 0.001),
    "seconds of a variable": lambda: HELD.acquire(timeout=SECONDS),
    "named blocking and seconds": lambda: HELD.acquire(blocking=True, timeout=0.001),
    "blocking": lambda: HELD.acquire(True),
}
POLLS = {
    "select": lambda: select.select([], [], [], 0.001),
    "poll": lambda: select.poll().poll(1),
    "epoll": lambda: select.epoll().poll(0.001),
}
CLOCKS = {
    "now": Moment.now,
    "utcnow": Moment.utcnow,
    "today": Moment.today,
    "a day": Day.today,
    "uuid1": uuid.uuid1,
}
NO_WAITS = {
    "free": lambda: FREE.acquire() and FREE.release(),
    "free in time": lambda: FREE.acquire(timeout=1) and FREE.release(),
    "if free": lambda: HELD.acquire(False),
    "if free, named": lambda: HELD.acquire(blocking=False),
    "in no time": lambda: HELD.acquire(timeout=0),
    "in no time, unnamed": lambda: HELD.acquire(True, 0),
    "select in no time": lambda: select.select([], [], [], 0),
    "poll in no time": lambda: select.poll().poll(0),
    "a date of its own": lambda: Moment(2024, 1, 2).date(),
    "a moment told": lambda: Moment.fromtimestamp(0, datetime.UTC),
    "a uuid told": lambda: uuid.uuid5(uuid.NAMESPACE_DNS, "a"),
    "arguments that are not seen": lambda: select.select([], [], [], *NO_SECONDS[:1]),
}


def told(call):
    with pytest.raises(WorldError) as caught:
        check_scenario(lambda world: call() and None, Plan(runs=3))
    assert "test_real_waits.py:" in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("call", LOCKS.values(), ids=LOCKS)
def test_a_wait_for_a_lock_that_is_held_is_told_before_it_begins(call):
    assert "about to wait for another one, in acquire() of a lock that is held" in told(call)


@needs_poll
@pytest.mark.parametrize("call", POLLS.values(), ids=POLLS)
def test_a_wait_for_what_comes_from_outside_is_told_before_it_begins(call):
    assert "has its own time, and nothing outside, but " in told(call)


@pytest.mark.parametrize("call", CLOCKS.values(), ids=CLOCKS)
def test_a_clock_that_is_read_by_a_class_of_the_users_or_for_a_uuid_is_told(call):
    assert "() of the real one was called" in told(call)


@needs_poll
@pytest.mark.parametrize("call", NO_WAITS.values(), ids=NO_WAITS)
def test_what_takes_no_time_is_no_wait(call):
    check_scenario(lambda world: call() and None, Plan(runs=3))
