"""map_async(f, parallelism=2)

    in:  1 2 3 |
    out: f(1) f(2) f(3) |    (two calls at a time; in the order of the input unless ordered=False)

Gives what a function makes of each element, several calls at a time. It may block: it runs on a
thread that may. It may return a value, a ``concurrent.futures.Future``, the answer of an actor, as
``ask(..., block=False)`` gives it, or an awaitable, such as a coroutine, which is awaited on the
system's event loop. Each call has a context of its own, and may have a time: ``timeout=2.0``.

Back-pressure: asks for its window once downstream asks; holds twice as many elements as calls are
made at a time, and waits when results are not taken. Fewer elements than a window wait for a call.
Completes: when upstream has completed and all results were given.
Fails: with upstream, or when ``f`` raises and the policy is to stop; ordered, after what came
before. A ``SystemExit`` of ``f`` fails its element alone, as ``CallExitError``, and a call beyond
its ``timeout`` as ``CallTimeout``. More than ``max_abandoned`` threads beyond it fail the stage.
With ``fallback=g``, ``g(element, error)`` is given in place of an element that fails.
Cancels: upstream, when downstream cancels; calls that have not begun are not made.
"""

from __future__ import annotations

import inspect
from asyncio import CancelledError, current_task, get_running_loop
from collections import deque
from collections.abc import Callable
from concurrent.futures import Executor, Future
from contextlib import suppress
from functools import partial
from operator import attrgetter
from typing import Any, TypeAlias

from actors_rs.errors import CallTimeout, DeciderError, StreamError
from actors_rs.stages.calls.call import RESULT, Call, answered, awaited, failure_of, is_answer
from actors_rs.stages.calls.fallback import Fallback
from actors_rs.stages.calls.limit import CallLimit
from actors_rs.stages.calls.retries import Retries
from actors_rs.stages.functions import is_awaitable, is_coroutine_function
from actors_rs.stages.load import Load
from actors_rs.stages.ports import Inlet, Outlet
from actors_rs.stages.stage import Budget, Cancellable, StageLogic

_End: TypeAlias = Callable[[Call, Any, BaseException | None], None]


class MapAsync(StageLogic):
    """Each element through ``f``, up to ``parallelism`` calls at a time.

    A call runs in a slot. The thread that ends a call takes the next waiting one, with no turn in
    between: else calls that began together would end together, and so would the next ones. As many
    calls as there are slots may wait, but fewer than a window: none where that is 1, as after tick.
    """

    def __init__(
        self, f: Callable[[Any], Any], parallelism: int, ordered: bool, executor: Executor | None
    ) -> None:
        self.inlet, self.outlet = Inlet(), Outlet()
        self.inlets, self.outlets = (self.inlet,), (self.outlet,)
        self._f = f
        self._parallelism = parallelism
        self.load: Load = Load(parallelism)
        self._ordered = ordered
        self._executor = executor
        self._is_coroutine_function = is_coroutine_function(f)
        self._calls: deque[Call] = deque()  # to be emitted; unordered: only ended calls
        self._waiting: deque[Call] = deque()  # popped by any thread
        self._not_ended: set[Call] = set()
        self._slots = 0  # that are taken
        self._runners: list[Future[Any]] = []
        self._stopped = False
        self._resting: dict[Call, Cancellable] = {}  # until they are made again
        self.limit: CallLimit | None = None
        self.retries: Retries | None = None
        self.fallback: Fallback | None = None
        """These are options of the calls, set before the start."""

    def advance(self, budget: Budget) -> None:
        began = self.context.now()  # a call that this turn begins may end before the turn does
        self._go_on()
        self.load.now_under_way(min(self._slots, self._due - len(self._resting)), began)

    def _go_on(self) -> None:
        inlet, outlet = self.inlet, self.outlet
        if outlet.cancelled:
            inlet.cancel(outlet.cause)
            return
        if outlet.demand:
            inlet.open()
        self._emit_ended()
        while not outlet.closed and inlet.buffered and (room := self._room) > 0:
            self._admit(room)
        # Counted by what only turns change: calls that wait may be under way in the next moment.
        most = min(self._parallelism, self._due - len(self._resting))
        while not outlet.closed and self._slots < most:
            self._take_slot()
        if inlet.exhausted and not self._calls and not self._not_ended:
            self.end(inlet.error)

    def stop(self, error: BaseException | None) -> None:
        self._stopped = True
        self.load.now_under_way(0, self.context.now())
        self._waiting.clear()
        for call in sorted(self._not_ended, key=attrgetter("position")):
            if call.future is not None:
                call.future.cancel()
        for runner in self._runners:
            runner.cancel()
        for timer in self._resting.values():
            timer.cancel()
        if self.limit is not None:
            self.limit.stop()

    def held(self) -> list[Any]:
        calls = sorted({*self._calls, *self._not_ended}, key=attrgetter("position"))
        return [call.element for call in calls]

    def release_held(self) -> None:
        # New ones: a function that still runs looks at its own.
        self._calls = deque(Call(None, call.position) for call in self._calls if call.done)
        self._not_ended = {Call(None, call.position) for call in self._not_ended}

    @property
    def waits_outside(self) -> bool:  # type: ignore[override]  # a future may be anybody's
        return len(self._not_ended) > len(self._waiting)

    def details(self) -> dict[str, Any]:
        figures = {"under_way": self._under_way, "parallelism": self._parallelism}
        if (retries := self.retries) is not None:
            not_made = len(self._waiting) + len(self._resting) + len(self._not_ended) - self._due
            figures |= retries.details(self.inlet.count - not_made, len(self._resting))
        for option in (self.limit, self.fallback):
            figures |= {} if option is None else option.details()
        return figures

    # In the stage's turn

    def change_parallelism(self, parallelism: int) -> None:
        """Another one from now on; calls under way go on, also if they are more than that."""
        self._parallelism = parallelism

    @property
    def _room(self) -> int:
        held = len(self._calls) if self._ordered else len(self._calls) + len(self._not_ended)
        most_due = self._parallelism + min(self._parallelism, self.inlet.capacity - 1)
        return min(2 * self._parallelism - held, most_due - self._due + len(self._resting))

    @property
    def _under_way(self) -> int:
        begun = len(self._not_ended) - len(self._waiting) - len(self._resting)
        return max(0, min(self._slots, begun))  # others have ended, and the turn has yet to see it

    @property
    def _due(self) -> int:
        """How many calls wait, are under way or rest."""
        return len(self._not_ended)

    def _admit(self, room: int) -> None:
        first = self.inlet.count
        for offset, element in enumerate(self.inlet.take(room)):
            call = Call(element, first + offset, self.limit is not None)
            self._not_ended.add(call)
            if self._ordered:
                self._calls.append(call)
            self._waiting.append(call)

    def _emit_ended(self) -> None:
        calls, most, out = self._calls, self.outlet.demand, list[Any]()
        while calls and calls[0].done:
            if calls[0].error is None and len(out) == most:
                break
            call = calls.popleft()
            if call.error is None:
                out.append(call.value)
            elif not self._goes_on_behind(call, call.error, out):
                return
        self.outlet.emit(out)

    def _goes_on_behind(self, call: Call, error: BaseException, out: list[Any]) -> bool:
        """Whether the stage survives the failed ``call``, before which ``out`` is due."""
        emit = partial(self.outlet.emit, out)
        if call.undecided is None:
            return self.survives(error, call.element, call.position, first=emit)
        emit()
        self.fail_for(call.element, error, call.position, call.undecided)
        return False

    def _take_slot(self) -> None:
        self._slots += 1
        if self._is_coroutine_function:
            self.context.run_coroutine(self._run_coroutines(), self._keep_runner)
        elif self._executor is not None:
            if (call := self._next_call()) is not None:
                self._follow(call, call.submit(self._executor, self._f, self.context))
        elif not self.context.run_blocking(self._run_calls):
            raise StreamError("the actor system was shut down")

    def _keep_runner(self, runner: Future[Any]) -> None:
        """Keep ``runner``, to cancel it when the stage stops; forget runners that have ended."""
        if len(self._runners) >= 2 * self._parallelism:
            self._runners = [one for one in self._runners if not one.done()]
        self._runners.append(runner)

    def _finish(self, call: Call, value: Any, error: BaseException | None) -> None:
        self.load.call_ended(self.context.now() - call.began)
        if self.limit is not None:
            self.limit.over(call)
        if error is not None:
            error = failure_of(error)
            if self._is_made_again(call, error):
                return
            value, error = self._given_up(call, error)
        call.value, call.error, call.done, call.future = value, error, True, None
        self._not_ended.discard(call)
        if not self._ordered:
            self._calls.append(call)

    def _given_up(self, call: Call, error: Exception) -> tuple[Any, Exception | None]:
        """The element in place of that of ``call``, or, second, the error that it fails with."""
        if self.fallback is None or call.undecided is not None:
            return None, error
        return self.fallback.instead_of(call.element, error)

    def _is_made_again(self, call: Call, error: BaseException) -> bool:
        """Whether the call failed only for now; it holds no slot until its time has come."""
        if (retries := self.retries) is None:
            return False
        refused = retries.refused
        try:
            seconds = retries.again_in(call.attempts, error, self.context.now())
        except DeciderError as undecided:
            call.undecided, seconds = undecided, None
        if seconds is None:
            retries.note(error, call.attempts, refused)
            return False
        again = self._in_place_of(call)  # which nothing has ended yet: its time counts anew
        again.attempts += 1
        self._resting[again] = self.context.after(seconds, partial(self._rested, again))
        return True

    def _rested(self, call: Call) -> None:
        if self._resting.pop(call, None) is not None:
            self._waiting.append(call)

    def _finish_and_leave(self, call: Call, value: Any, error: BaseException | None) -> None:
        self._finish(call, value, error)
        self._leave_slot()

    def _leave_slot(self) -> None:
        self._slots -= 1

    def _time_is_up(self, call: Call, error: CallTimeout, limit: CallLimit) -> None:
        """``call`` has taken too long, and keeps its thread or its task, but no longer its slot."""
        call.end(error)
        again = self._in_place_of(call)
        if (too_many := limit.too_many()) is not None:
            self._emit_ended()
            self._not_ended.discard(again)
            if self._ordered:
                self._calls.remove(again)
            self.fail_for(call.element, too_many, call.position, error)
            return
        self._finish_and_leave(again, None, error)

    def _in_place_of(self, call: Call) -> Call:
        """A new call for the same element; the result of the old one, if it comes, is not used."""
        again = call.renewed()
        self._not_ended.discard(call)
        self._not_ended.add(again)
        if self._ordered:
            self._calls[self._calls.index(call)] = again
        return again

    # On any thread

    @property
    def _crowded(self) -> bool:
        """Whether more slots are taken than there are since the parallelism has changed."""
        return self._slots > self._parallelism

    def _next_call(self) -> Call | None:
        try:
            call = None if self._stopped or self._crowded else self._waiting.popleft()
        except IndexError:
            return None
        if call is not None:
            call.began = self.context.now()
            if self.limit is not None:
                self.limit.begun(call, self._time_is_up, self.context)
        return call

    def _run_calls(self) -> None:
        """One slot, on a thread that may block: call after call until none waits."""
        while (call := self._next_call()) is not None:
            if (tell := self._made(call)) is None:
                return  # the call goes on, and keeps the slot
            behind = partial(self._go_on_behind, tell)
            if (self.in_steps and self.context.run_blocking(behind)) or not tell():
                return  # it goes on there, or the slot was taken from it
        self.context.post(self._leave_slot)

    def _tell(self, end: _End, call: Call, value: Any, error: BaseException | None) -> bool:
        """The stage is to ``end`` the call in its turn, unless it has ended itself.

        False if the time of the call was up, and the slot is another one's.
        """
        if self.limit is not None and not call.ended_by(RESULT):
            self.limit.came_late(call, value, error)
            return False
        call.end(error)
        if self._stopped:
            self.context.late(value, error)
        else:
            self.context.post(partial(end, call, value, error))
        return True

    def _go_on_behind(self, tell: Callable[[], bool]) -> None:
        """Where each job is a step: a call that began later may have ended before this one."""
        if tell():
            self._run_calls()

    def _made(self, call: Call) -> Callable[[], bool] | None:
        """Make the call. Returns the report for the stage, or a waiter for the result."""
        call.runner = self.context.begins_call()
        try:
            value = call.make(self._f, self.context)
        except BaseException as error:
            return partial(self._tell, self._finish, call, None, error)
        if is_awaitable(value):
            self._settle(call, value)
            return None
        return partial(self._tell, self._finish, call, value, None)

    async def _run_coroutines(self) -> None:
        """One slot, on the event loop: call after call until none waits.

        Each call is a task, with a context and a state of cancellation of its own. Cancelling the
        slot, which waits for the task, cancels the task, and ends the slot. A task may also end
        cancelled by itself: by then it has reported its result to the stage.
        """
        loop, slot = get_running_loop(), current_task()
        taken: list[Call] = []
        while self._waiting and not self._crowded and not (slot and slot.cancelling()):
            with suppress(CancelledError):
                await loop.create_task(self._await_next_call(taken))
            if taken and not taken.pop().ended_by(RESULT):
                return  # the slot was taken from it
        self.context.post(self._leave_slot)

    async def _await_next_call(self, taken: list[Call]) -> None:
        if (call := self._next_call()) is None:
            return
        taken.append(call)
        call.task = current_task()
        call.begin(self.context)
        try:
            value = await self._f(call.element)
        except BaseException as error:
            self._tell(self._finish, call, None, error)
        else:
            self._tell(self._finish, call, value, None)

    def _settle(self, call: Call, value: Any) -> None:
        """``f`` has returned ``value``, which may be something to wait for."""
        if issubclass(type(value), Future):
            self._follow(call, value)
        elif is_awaitable(value):
            begin_to_wait = self._get if is_answer(value) else self._await
            try:
                begin_to_wait(call, value)
            except Exception as error:  # no thread for it: nobody else hears of that here
                self._tell(self._finish_and_leave, call, None, error)
        else:
            self._tell(self._finish_and_leave, call, value, None)

    def _await(self, call: Call, value: Any) -> None:
        coroutine = value if inspect.iscoroutine(value) else awaited(value)
        self.context.run_coroutine(coroutine, partial(self._follow, call), call.context)

    def _get(self, call: Call, answer: Any) -> None:
        def get() -> None:
            call.runner = self.context.begins_call()
            self._settle_with(call, partial(answered, answer))

        if not self.context.run_blocking(get):
            raise StreamError("the actor system was shut down")

    def _follow(self, call: Call, future: Future[Any]) -> None:
        call.future = future
        # Read after the assignment: stop sets the flag before it reads ``future``.
        if self._stopped or call.time_is_up:
            future.cancel()
        future.add_done_callback(lambda done: self._settle_with(call, done.result))

    def _settle_with(self, call: Call, result: Callable[[], Any]) -> None:
        try:
            value = result()
        except BaseException as error:
            self._tell(self._finish_and_leave, call, None, error)
        else:
            self._settle(call, value)
