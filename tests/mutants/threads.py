# mypy: disable-error-code="no-untyped-def, var-annotated"
"""Small models on real threads, for bugs of the few places that have threads."""

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from types import ModuleType
from typing import Any

from actors_rs.runtime._primitives import Full
from actors_rs.runtime.actors import future, mailbox
from actors_rs.runtime.actors.future import PooledFuture
from actors_rs.runtime.actors.mailbox import Mailbox
from actors_rs.runtime.dispatch import job_queue, timers
from actors_rs.runtime.dispatch.job_queue import JobQueue, Sleeper
from actors_rs.runtime.dispatch.timers import Timer, Timers
from actors_rs.runtime.rate import rate_limit
from actors_rs.runtime.rate.rate_limit import RateLimit
from tests.threads import test_job_queue as jobs
from tests.threads import test_mailbox as mailboxes
from tests.threads import test_timers as clocks
from tests.threads.bounded import search

SHARED = Mailbox, JobQueue, Sleeper, Timer, Timers, RateLimit, PooledFuture


class Limited:
    """Two who take from a rate of which there is one."""

    def __init__(self):
        self.limit = RateLimit(1, burst=1)
        self.taken = []
        self.limit.take(0, 0.0)

    def take(self):
        self.taken.append(self.limit.take(1, 0.0))


class Answered:
    """Two who answer the same question."""

    def __init__(self):
        self.future = PooledFuture[int]()
        self.answers = 0

    def answer(self, value):
        with suppress(Full):
            self.future.set(value)
            self.answers += 1


def explore(model: Any, threads: list[Any], holds: Any, *modules: ModuleType) -> tuple[bool, int]:
    """Whether the model holds, and how many interleavings were tried."""
    found = search(model, threads, holds, *modules, shared=SHARED)
    return found.holds, found.runs


def ask_for_more(model):
    model.ask_for_more(2)


MODELS: dict[str, Callable[[], tuple[bool, int]]] = {
    "two tellers": partial(
        explore,
        mailboxes.Model,
        [mailboxes.tell(1), mailboxes.tell(2)],
        mailboxes.each_once(1, 2),
        mailbox,
    ),
    "a teller and a stop": partial(
        explore,
        mailboxes.Model,
        [mailboxes.tell(mailboxes.STOP), mailboxes.tell(1)],
        mailboxes.each_once(1),
        mailbox,
    ),
    "a request and a stop": partial(
        explore,
        mailboxes.Model,
        [mailboxes.tell(mailboxes.STOP), ask_for_more],
        mailboxes.each_once(2),
        mailbox,
    ),
    "a job and a thread that lies down": partial(
        explore,
        jobs.Model,
        [lambda model: model.put(1), lambda model: model.get(0)],
        jobs.all_taken(1),
        job_queue,
    ),
    "a timer that fires and is cancelled": partial(
        explore,
        clocks.Model,
        [clocks.Model.fire, clocks.Model.cancel],
        lambda model: len(model.fired) <= 1,
        timers,
    ),
    "timers that end": partial(
        explore,
        clocks.Service,
        [clocks.Service.close, clocks.Service.add],
        lambda model: not model.timers._heap,
        timers,
    ),
    "two who share a rate": partial(
        explore,
        Limited,
        [Limited.take, Limited.take],
        lambda model: sum(model.taken) == 1,
        rate_limit,
    ),
    "two who answer": partial(
        explore,
        Answered,
        [lambda model: model.answer(1), lambda model: model.answer(2)],
        lambda model: model.answers == 1,
        future,
    ),
}
