# mypy: disable-error-code="var-annotated, no-untyped-def"
"""The search itself: it is complete, and its reductions hide nothing."""

import itertools
import math
import threading
from types import ModuleType
from unittest.mock import patch

import pytest

from actors_rs.runtime.actors import mailbox
from actors_rs.runtime.actors.mailbox import Mailbox
from actors_rs.runtime.dispatch import job_queue
from actors_rs.runtime.dispatch.job_queue import JobQueue, Sleeper
from tests.mutants.museum.threads import MUTANTS
from tests.threads import bounded, one_at_a_time
from tests.threads import test_job_queue as jobs
from tests.threads import test_mailbox as mailboxes
from tests.threads.bounded import Search, search
from tests.threads.shared import Condition, Event, Lock
from tests.threads.test_mailbox import STOP, tell


class Counter:
    """Something to add to, with and without a lock, and two locks to take in any order."""

    def __init__(self):
        self.value = 0
        self.left, self.right = Lock(), Lock()

    def write(self):
        self.value = 1

    def add(self):
        self.value = self.value + 1

    def add_locked(self):
        with self.left:
            self.add()

    def left_then_right(self):
        with self.left, self.right:
            self.add()

    def right_then_left(self):
        with self.right, self.left:
            self.add()


def counted(threads, value, **options):
    return search(Counter, threads, lambda c: c.value == value, shared=(Counter,), **options)


class EveryOrder(Search):
    """The same without known states: each order is a run of its own."""

    def _reaches(self, state, cost):
        self.reached[state] = cost
        return self.bound is None or cost <= self.bound

    def next_plan(self):
        return next((level.pop() for level in self.to_try if level), None)


class Everything(frozenset):
    """Each word is a point, raced on or not."""

    def __contains__(self, name):
        return True


def test_a_lost_update_is_found_with_one_preemption_and_told():
    assert counted([Counter.add] * 2, 2, preemptions=0).holds
    found = counted([Counter.add] * 2, 2, preemptions=1)
    assert not found.holds
    assert found.story == (
        "thread 1 reads Counter.value",
        "thread 0 reads Counter.value",
        "thread 0 writes Counter.value",
        "thread 1 writes Counter.value",
    )


def test_the_order_that_is_told_is_the_one_that_failed():
    def story_of(threads):
        return counted(threads, len(threads), preemptions=2, alike=tuple(range(len(threads)))).story

    for count in (2, 3, 4):
        value, read = 0, {}
        for _, thread, verb, _ in map(str.split, story_of([Counter.add] * count)):
            if verb == "reads":
                read[thread] = value
            else:
                value = read[thread] + 1
        assert value < count


def test_what_a_lock_guards_is_not_lost():
    assert counted([Counter.add_locked] * 3, 3).holds


def test_locks_taken_crosswise_are_a_deadlock():
    found = counted([Counter.left_then_right, Counter.right_then_left], 2)
    assert found.why == "all wait for ever: thread 0 for Lock.taken, thread 1 for Lock.taken"


def test_the_number_of_orders_is_that_of_combinatorics():
    def thrice(counter):
        for _ in range(3):
            counter.write()

    for threads, orders in ((2, math.comb(6, 3)), (3, math.comb(9, 3) * math.comb(6, 3))):
        assert counted([thrice] * threads, 1).schedules == orders
        alike = counted([thrice] * threads, 1, alike=tuple(range(threads)))
        assert alike.schedules == orders / math.factorial(threads)


def told(threads, **options):
    """All that a mailbox may come to, and how many runs and orders it took to see it."""
    seen = set()

    def note(model):
        seen.add((*model.handled, "|", *model.refused, "|", *model.returned))
        return not model.overlaps

    found = search(mailboxes.Model, threads, note, mailbox, shared=(Mailbox,), **options)
    assert found.holds, found.why
    return seen, found


@pytest.mark.parametrize(
    ("threads", "preemptions"),
    [([tell(1), tell(STOP)], None), ([tell(1), tell(2), tell(STOP)], 1), ([tell(1), tell(2)], 2)],
)
def test_every_order_run_on_its_own_comes_to_the_same(threads, preemptions):
    few, found = told(threads, preemptions=preemptions)
    every, all_found = told(threads, preemptions=preemptions, orders=EveryOrder)
    assert few == every
    assert found.schedules == all_found.schedules <= all_found.runs
    assert found.runs < all_found.runs


def test_points_at_every_word_come_to_the_same():
    threads = [tell(1), tell(2), tell(STOP)]
    with patch.object(bounded, "KNOWN_POINTS", Everything()):
        every, all_found = told(threads, preemptions=1)
    few, found = told(threads, preemptions=1)
    assert few == every
    assert found.states < all_found.states


def test_threads_that_are_alike_come_to_the_same_by_any_name():
    threads = [tell(1), tell(1), tell(STOP)]
    every, _ = told(threads, preemptions=2)
    assert every == told(threads, preemptions=2, alike=(0, 1))[0]


PLANTED = [
    one for one in MUTANTS if one.edits[0].where.split(":")[1].startswith(("Mailbox", "JobQueue"))
]
MODELS: dict[str, tuple] = {
    "two tellers": (mailboxes, [tell(1), tell(2)], mailboxes.each_once(1, 2)),
    "a teller and a stop": (mailboxes, [tell(STOP), tell(1)], mailboxes.each_once(1)),
    "a request and a stop": (
        mailboxes,
        [tell(STOP), lambda model: model.ask_for_more(2)],
        mailboxes.each_once(2),
    ),
    "a job and a thread that lies down": (
        jobs,
        [lambda model: model.put(1), lambda model: model.get(0)],
        jobs.all_taken(1),
    ),
}


@pytest.mark.parametrize("mutant", PLANTED, ids=lambda mutant: mutant.name)
def test_planted_bugs_of_mailbox_and_queue_need_no_more_than_two_preemptions(mutant):
    model, threads, holds = MODELS[mutant.model]
    shared = (Mailbox, JobQueue, Sleeper)
    with mutant.applied():
        found = search(
            model.Model, threads, holds, mailbox, job_queue, shared=shared, preemptions=2
        )
    assert not found.holds


class Waiting:
    """Two ways to wait for a while."""

    def __init__(self):
        self.event, self.changed, self.heard = Event(), Condition(), []

    def wait(self):
        self.heard.append(self.event.wait(1.0))

    def wait_for_change(self):
        with self.changed:
            self.heard.append(self.changed.wait(1.0))

    def set(self):
        self.event.set()

    def change(self):
        with self.changed:
            self.changed.notify_all()


@pytest.mark.parametrize(
    ("waits", "tells"), [(Waiting.wait, Waiting.set), (Waiting.wait_for_change, Waiting.change)]
)
def test_a_time_is_over_when_nobody_can_go_on_and_at_the_price_of_a_preemption(waits, tells):
    def heard(threads, preemptions):
        came = []

        def note(model):
            came.extend(model.heard)
            return True

        assert search(Waiting, threads, note, shared=(), preemptions=preemptions).holds
        return {*came}

    assert heard([waits], 0) == {False}
    assert heard([waits, tells], None) == heard([waits, tells], 1) == {True, False}
    assert heard([Waiting.wait, Waiting.set], 0) == {True}


def test_what_a_thread_raises_is_told():
    def raises(counter):
        raise ValueError("on purpose")

    assert counted([raises, Counter.add], 1).why == "thread 0 raised ValueError('on purpose')"


def test_a_model_that_depends_on_something_else_is_refused():
    runs = itertools.count()

    def add_sometimes(counter):
        if next(runs) % 3:
            counter.add()
        counter.add()

    found = search(Counter, [add_sometimes, Counter.add], lambda _: True, shared=(Counter,))
    assert found.why == bounded.UNEQUAL


def test_a_real_lock_that_two_threads_wait_for_is_an_error_instead_of_a_hang():
    lock = threading.Lock()

    def hold(counter):
        with lock:
            counter.add()

    with (
        patch.object(one_at_a_time, "REAL_SECONDS", 0.2),
        pytest.raises(AssertionError, match="waits for something that is not controlled"),
    ):
        counted([hold, hold], 2)


def test_a_lock_made_when_a_module_was_imported_is_controlled_as_long_as_a_run():
    module = ModuleType("of its own")
    kept = module.lock = threading.Lock()  # type: ignore[attr-defined]

    def hold(counter):
        with module.lock:
            counter.add()

    found = search(Counter, [hold, hold], lambda c: c.value == 2, module, shared=(Counter,))
    assert found.holds
    assert module.lock is kept


def test_more_runs_than_allowed_are_an_error():
    with pytest.raises(AssertionError, match="more than 5 runs"):
        counted([Counter.write] * 5, 1, most=5)
