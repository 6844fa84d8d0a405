# mypy: disable-error-code="var-annotated, no-untyped-def, type-arg, method-assign"
"""The queue of the pool in every interleaving: no job waits while a thread sleeps."""

from unittest.mock import patch

from actors_rs.runtime._primitives import Empty
from actors_rs.runtime.dispatch import job_queue
from actors_rs.runtime.dispatch.job_queue import JobQueue, Sleeper
from tests.threads.bounded import check_all, search


class Model:
    def __init__(self):
        self.queue = JobQueue()
        self.sleepers = [Sleeper(), Sleeper()]
        self.got = []

    def put(self, job):
        self.queue.put(job)

    def get(self, who):
        self.got.append(self.queue.get(self.sleepers[who]))


def all_taken(*jobs):
    return lambda model: sorted(model.got) == list(jobs) and not len(model.queue)


def checked(threads, *jobs, **options):
    shared = JobQueue, Sleeper
    return check_all(Model, threads, all_taken(*jobs), job_queue, shared=shared, **options)


def test_a_job_wakes_the_thread_that_was_about_to_sleep():
    threads = [lambda model: model.put(1), lambda model: model.get(0)]
    assert checked(threads, 1).runs > 10


def test_two_jobs_wake_two_threads():
    threads = [
        lambda model: model.put(1),
        lambda model: model.put(2),
        lambda model: model.get(0),
        lambda model: model.get(1),
    ]
    assert checked(threads, 1, 2, preemptions=2, alike=(0, 1)).runs > 100


class Hasty(Model):
    """A thread whose time may be over just when it is woken, and that looks once more then."""

    def get_in_time(self, who):
        try:
            self.got.append(self.queue.get(self.sleepers[who], 1.0))
        except Empty:
            self.got.append(None)

    @property
    def at_rest(self):
        """Nobody is registered as asleep, and who lies down next is not woken by what was."""
        return not self.queue._sleepers and all(one.latch.locked() for one in self.sleepers)


def taken_or_kept(model):
    found = [job for job in model.got if job is not None]
    return len(found) + len(model.queue) == 1 and model.at_rest


def checked_in_time(**options):
    threads = [lambda model: model.put(1), lambda model: model.get_in_time(0)]
    return search(Hasty, threads, taken_or_kept, job_queue, shared=(JobQueue, Sleeper), **options)


def test_a_thread_that_gives_up_just_when_it_is_woken_loses_no_job():
    found = checked_in_time()
    assert found.holds, found
    assert found.runs > 10


def test_a_thread_that_rises_without_taking_what_woke_it_is_found():
    def careless(self, sleeper):
        try:
            self._sleepers.remove(sleeper)
        except ValueError:
            return False
        return True

    with patch.object(JobQueue, "_rise", careless):
        assert not checked_in_time(preemptions=2).holds
