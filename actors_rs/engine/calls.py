"""What functions of the user's a stage is in: in its turns, in jobs, in coroutines.

A call that does not return is given up, a grace after its run or its stage has ended: the thread is
abandoned, and what the call gives or raises later is a dead letter. How a stage is given up that is
in a call within its turn: ``island.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import Future
from contextlib import AbstractContextManager as ContextManager
from contextlib import contextmanager, suppress
from contextvars import Context
from functools import partial
from types import CodeType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, cast

from actors_rs.engine.failure import release
from actors_rs.engine.outside import NotedJob, Outside
from actors_rs.engine.processes import StageProcesses
from actors_rs.engine.run.waiting import work_once_for
from actors_rs.engine.severing import close
from actors_rs.runtime._logging import logger_called
from actors_rs.runtime._primitives import Lock, ThreadLocal
from actors_rs.runtime.dispatch.user_code import function_inside, name_of_one_of
from actors_rs.stages.source import SourceLogic
from actors_rs.texts import qualified_name_of, text_of

if TYPE_CHECKING:
    from actors_rs.engine.contract import RunningIsland, RunningStage, Scope, WholeRun
    from actors_rs.runtime.dispatch.timers import Timer
    from actors_rs.stages.processes.surroundings import ProcessCalls
    from actors_rs.stages.stage import StageLogic

__all__ = ["MOST_BLOCKING_THREADS", "Call", "UserCalls", "hand_over"]

MOST_BLOCKING_THREADS = 4096
MOST_OF_OURS = 256
"""Threads beyond those, for what ends stages."""
COMMIT_SECONDS = 0.1
"""That a commit may take which is under way when its stage is given up."""
LATE = "the call returned after its stage was abandoned"
"""Why the result of a call is a dead letter."""
_OUR_FILES = __file__.removesuffix("engine/calls.py")
logger = logger_called("actors_rs.stages")


_Coroutine: TypeAlias = tuple[Future[Any], Coroutine[Any, Any, Any]]


class Call(NamedTuple):
    """A function that is being called."""

    function: str
    seconds: float
    """How long it has been inside."""

    def __str__(self) -> str:
        return f"in {self.function} for {self.seconds:.3g} s"


class StageJob:
    """One job of a stage on a thread that may block."""

    __slots__ = ("_context", "_job", "_stage", "began")

    def __init__(self, stage: UserCalls, context: Context, job: NotedJob) -> None:
        self._stage = stage
        self._context = context
        self._job = job
        self.began: float | None = None

    def give_up(self) -> None:
        """Nothing will come of it: it wakes the stage no more."""
        self._job.give_up()

    def run(self) -> None:
        stage, before = self._stage, _current.job
        self.began = stage.island.timing_clock()
        _current.job = self
        try:
            work_once_for(stage.scope.end, self._context, self._job)
        finally:
            _current.job = before
            stage.jobs.discard(self)
            stage.call_over()


class _Current(ThreadLocal):
    """The job that the current thread runs."""

    job: StageJob | None = None


_current = _Current()


class UserCalls:
    """The calls of a stage: by its jobs, its coroutines, and the turns of its island."""

    logic: StageLogic
    scope: Scope
    island: RunningIsland
    name: str
    site: str
    ended: bool
    # What most stages never need has its place in the class until they do.
    outside: Outside | None = None
    """What will wake it from outside the run, once it has set something going."""
    given_up_with: BaseException | None = None
    """Why it has ended, if its island was in a call that had not returned."""
    jobs: set[StageJob] = set()  # noqa: RUF012 - replaced for the first
    coroutines: dict[object, _Coroutine | None] = {}  # noqa: RUF012 - as that
    calls_given_up = False
    """Whether calls that outlived the stage are waited for no more."""
    _stops = False  # the ``stop`` of its logic was called
    _said_late = False
    _waits: Timer | None = None  # until its calls are given up
    _advised = False  # that it blocks

    def noted_outside(self) -> Outside:
        """Where to note what will wake it."""
        if (outside := self.outside) is None:
            outside = self.outside = Outside()
        return outside

    def run_blocking(self, job: Callable[[], None], /) -> bool:
        noted = self.noted_outside().job(job)
        work = StageJob(self, self.island._context_.copy(), noted)
        if not self.jobs:
            vars(self).setdefault("jobs", set())
        self.jobs.add(work)
        if self.island.system.blocking.put_growing(work.run, MOST_BLOCKING_THREADS):
            return True
        self.jobs.discard(work)
        return False

    def run_coroutine(
        self,
        coroutine: Coroutine[Any, Any, Any],
        done: Callable[[Any], None] | None = None,
        context: Context | None = None,
        /,
    ) -> None:
        token = object()
        vars(self).setdefault("coroutines", {})[token] = None
        over = partial(self._coroutine_over, token)
        try:
            own = self.island._context_.copy() if context is None else context
            future = self.island.system.event_loop.run(coroutine, own, over)
        except BaseException:
            over()
            raise
        if token in self.coroutines:
            self.coroutines[token] = future, coroutine
        if done is not None:
            done(future)
            self.noted_outside().follow(future)

    def process_calls(self, f: Callable[[Any], Any], /, **how: Any) -> ProcessCalls:
        return StageProcesses(self, self.island.system, f, how)

    def begins_call(self) -> object:
        if (job := _current.job) is not None:
            job.began = self.island.timing_clock()
        return job

    def abandon(self, job: object, /) -> None:
        if not isinstance(job, StageJob):
            return
        call = self._call_in(job)
        self.jobs.discard(job)
        job.give_up()
        if self.island.system.blocking.abandon(job):
            self.warn_abandoned(call)

    @contextmanager
    def committing(self) -> Iterator[None]:
        with self._commits():
            if self.given_up_with is not None:
                raise OSError("the run has ended without waiting for it")
            yield

    def _commits(self) -> ContextManager[Any]:
        """Held while it commits."""
        lock: ContextManager[Any] = vars(self).setdefault("_commit_lock", Lock())
        return lock

    def late(self, value: object, error: BaseException | None, /) -> None:
        """A call gave ``value``, or raised ``error``, after the end of the stage. Any thread."""
        if self.calls_given_up and not isinstance(error, GeneratorExit):  # the loop has ended
            self.report_late(value, error)

    # What ends a call

    def interrupt(self) -> None:
        """Let calls return that can be made to, for the stage is to end. Any thread, many times."""
        if not self.ended:
            logic = self.logic
            if logic.interrupt is not None and not logic.interrupted:
                self._interrupt(logic, logic.interrupt)

    def _interrupt(self, logic: StageLogic, interrupt: Callable[[], object]) -> None:
        token = object()
        if vars(logic).setdefault("_interrupts", token) is not token:
            return

        def job() -> None:
            try:
                interrupt()
            except BaseException as error:
                why, fields = "its interrupt failed", self._fields
                self.island.system.dead_letters.publish(
                    interrupt, where=text_of(self), why=why, error=error, fields=fields
                )

        logic.interrupted = True  # first: an exception that this causes in the call is no failure
        with suppress(RuntimeError):  # no thread for it: the stage ends when the call returns
            self.run_blocking(job)

    # Calls under way

    def calls(self) -> list[Call]:
        """The functions that the stage is in at this moment. Any thread."""
        calls = [self.call_in_turn()] if self.in_turn_for() is not None else []
        begun = [job for job in self.jobs.copy() if job.began is not None]
        return [*calls, *map(self._call_in, begun)]

    def in_turn_for(self) -> float | None:
        """Seconds since the turn began that is at this stage; ``None`` if none is. Any thread."""
        island = self.island
        if island.busy is not self or island.thread_in_turn() is None:
            return None
        return island.timing_clock() - island.last_turn

    def call_in_turn(self) -> Call:
        """The function that the turn of its island is in. Any thread."""
        island = self.island
        code = type(island)._run_turn_.__code__
        return self._call(island.thread_in_turn(), code, island, island.last_turn)

    def _call_in(self, job: StageJob) -> Call:
        thread = self.island.system.blocking.thread_of(job)
        began = self.island.timing_clock() if job.began is None else job.began
        return self._call(thread, StageJob.run.__code__, job, began)

    def _call(self, thread: int | None, code: CodeType, owner: object, began: float) -> Call:
        seconds = self.island.timing_clock() - began
        try:
            name = "" if thread is None else function_inside(thread, code, owner)
            return Call(name or self._one_of_its_functions(), seconds)
        except BaseException:  # an object of the user's that does not even tell its name
            return Call("a function", seconds)

    def _one_of_its_functions(self) -> str:
        """Where it is none in Python: of several the first, which is a guess."""
        held = list(vars(self.logic).values())
        return name_of_one_of(filter(callable, held)) or name_of_one_of(held) or "a function"

    def advise(self, function: str, seconds: float) -> None:
        """Say once that ``function`` has blocked a thread of the pool for ``seconds``."""
        if self.given_up_with is not None or self._advised:
            return
        self._advised = True
        use = "" if isinstance(self.logic, SourceLogic) else "map_async or "
        logger.warning(
            "stage '%s' (%s): %s blocked a pool thread for %.0f ms: use %s"
            "with_attributes(dispatcher='pinned')",
            *(self.name, self.site or "no line of the program", function, seconds * 1000, use),
            extra=self._fields,
        )

    # How it is given up

    def may_finish(self) -> bool:
        """Whether the caller is the one who ends this stage, in its turn or from outside."""
        token = object()
        return vars(self).setdefault("_ends", token) is token

    def let_commit(self) -> None:
        """A commit that has begun is over before anybody hears of the end, unless it hangs."""
        lock: Any = self._commits()
        if lock.acquire(timeout=COMMIT_SECONDS):
            lock.release()

    def return_late(self) -> None:
        """It was given up: release what it holds; once, on the thread that came back."""
        error, token = self.given_up_with, object()
        if error is None or vars(self).setdefault("_returns", token) is not token:
            return
        if not self._stops:
            try:
                self.logic.stop(error)
            except BaseException as failure:
                self.report_late(None, failure)
        close(self, error)
        release(cast("RunningStage", self))
        if not self._said_late:
            self.report_late(None, None)

    def report_late(self, what: object, error: BaseException | None) -> None:
        """Publish a late result, or a late error, as a dead letter."""
        self._said_late = True
        self.island.system.dead_letters.publish(
            what, where=text_of(self), why=LATE, error=error, fields=self._fields
        )

    # Calls that outlive it

    def leave_calls(self) -> None:
        """The stage has ended: wait for its calls no longer than the grace of its run.

        A deterministic world, in which each job is a step, insists on the end of all coroutines.
        """
        if (self.jobs or self.coroutines) and not self.island.system.blocking.in_steps:
            give_up = partial(hand_over, self.island.system, self.give_up_calls)
            with suppress(RuntimeError):  # no thread for it: the shutdown names them then
                self._waits = self.island.system.timers.after(self.scope.grace, give_up)
            self.call_over()

    def call_over(self) -> None:
        """A call has returned; with the last one the stage is waited for no more. Any thread."""
        if self._waits is not None and not self.jobs and not self.coroutines:
            self._waits.cancel()

    def _coroutine_over(self, token: object) -> None:
        self.coroutines.pop(token, None)
        self.call_over()

    def give_up_calls(self) -> None:
        """Wait no more for the calls that have not returned."""
        self.give_up_jobs(self.jobs.copy())
        running = self.coroutines.copy().values()
        for future, coroutine in (one for one in running if one is not None):
            if self.island.system.event_loop.give_up(future):
                self.warn_abandoned(Call(self._name_of(coroutine), self.scope.grace))

    def give_up_jobs(self, jobs: set[StageJob]) -> None:
        self.calls_given_up = True
        for job in jobs:
            call = self._call_in(job)
            if self.island.system.blocking.abandon(job):
                self.warn_abandoned(call)

    def _name_of(self, coroutine: Any) -> str:
        """Of one of ours, the function of the user's that it is about to await."""
        module = getattr(getattr(coroutine, "cr_code", None), "co_filename", "")
        ours = module.startswith(_OUR_FILES)
        return self._one_of_its_functions() if ours else qualified_name_of(coroutine)

    @property
    def _fields(self) -> dict[str, Any]:
        """Of log lines about it."""
        run = cast("WholeRun", self.scope.activity)
        return {"run": run.name, "run_id": run.number, "stage": self.name}

    def warn(self, text: str, /) -> None:
        """Log ``text`` about the stage at WARNING."""
        logger.warning("stage '%s': %s", self.name, text, extra=self._fields)

    def warn_abandoned(self, call: Call) -> None:
        """Log and count that a thread of the stage is abandoned in ``call``."""
        self.island.system.note_abandoned()
        logger.warning(
            "stage '%s' (%s) is abandoned: it has been %s, and the run no longer waits for it",
            self.name,
            self.site or "no line of the program",
            call,
            extra=self._fields,
        )


def hand_over(system: Any, job: Callable[[], None]) -> None:
    """Run ``job``, on the timers' thread only if there is no other one.

    It does not wait for one, though all threads for jobs of stages may be stuck.
    """
    with suppress(RuntimeError):  # there is none
        if system.blocking.put_growing(job, MOST_BLOCKING_THREADS + MOST_OF_OURS):
            return
    job()
