# mypy: disable-error-code="var-annotated, no-untyped-def, type-arg, method-assign"
"""The queue of the pool in every interleaving: no job waits while a thread sleeps."""

from actors_rs.runtime import job_queue
from actors_rs.runtime.job_queue import JobQueue, Sleeper
from tests.threads.bounded import check_all


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
