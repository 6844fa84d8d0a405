"""map_processes(f, workers=2)

    in:  1 2 3 |
    out: f(1) f(2) f(3) |    (in two processes; in the order of the input unless ordered=False)

Gives what a function makes of each element, called in worker processes, so on all cores. Elements
travel in chunks of some 25 ms of work, whose size is found by measuring; an element that comes
alone does not wait for others. Calls of a few microseconds may be made in this process, where that
is faster. An element whose call kills its worker, and the next one too, fails with ``WorkerDied``;
no other one does.

Back-pressure: asks for a small window once downstream asks, which grows with the chunks; holds
  up to eight chunks for each worker, of some MiB together: one that is late holds up no other.
  Under a memory limit it holds as much as that allows, at least one element.
Completes: when upstream has completed and all results were given.
Fails: with upstream, or when ``f`` raises, takes longer than ``timeout`` or kills its worker and
  the policy is to stop; ordered, after what came before. With ``fallback=g``,
  ``g(element, error)``, called in this process, is given in place of that element.
Cancels: upstream, when downstream cancels; workers that are in a call are killed within the grace.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import chain
from operator import attrgetter
from typing import Any, Literal

from actors_rs.raised import as_failure
from actors_rs.stages.calls.call import Call
from actors_rs.stages.calls.fallback import Fallback
from actors_rs.stages.chunks.auto_window import MemoryShare
from actors_rs.stages.chunks.weights import lately, weight_of
from actors_rs.stages.operators.map_async import MapAsync
from actors_rs.stages.processes.chunk_size import MOST_ELEMENTS, ChunkSize, Measured
from actors_rs.stages.processes.surroundings import ChunkResults, ProcessCalls
from actors_rs.stages.stage import Budget

__all__ = ["FIRST_WINDOW", "MapProcesses"]

FIRST_WINDOW = 64
"""Elements that are kept requested until it is known how long calls take."""
MOST_WINDOW = 32_768
MOST_WINDOW_BYTES = 64 << 20
"""Of requested elements."""
CHUNKS_AHEAD = 3
"""Elements are kept requested for so many chunks of each worker."""


class _LocalResults:
    """The outcome of a chunk that ran in this process."""

    __slots__ = ("failures", "seconds", "values")

    def __init__(self) -> None:
        self.values: list[Any] = []
        self.failures: dict[int, Exception] = {}
        self.seconds = 0.0


class _Results:
    """The results of a chunk, and the element that has failed after them."""

    __slots__ = ("at", "error", "first", "given", "values")

    def __init__(
        self, values: Sequence[Any], first: int, at: int = 0, error: Exception | None = None
    ) -> None:
        self.values = values
        self.first = first
        """The place in the chunk of the element whose result comes first."""
        self.at = at
        self.error = error
        self.given = 0


class MapProcesses(MapAsync):
    """Chunks of elements, up to ``workers`` at a time, each a call of ``map_async``'s."""

    window_follows = "memory"
    flat = False
    """Whether results are iterables whose elements are given."""

    def __init__(
        self,
        f: Callable[[Any], Any],
        workers: int,
        ordered: bool,
        timeout: float | None,
        chunk: int | Literal["auto"],
        max_tasks_per_worker: int | None,
        initializer: Callable[[], Any] | None,
        interpreters: bool = False,
    ) -> None:
        super().__init__(self._called, workers, ordered, None)
        self._function = f
        self._workers = workers
        self._how = {
            "initializer": initializer,
            "workers": workers,
            "listed": self.flat,
            "timeout": timeout,
            "most_calls": max_tasks_per_worker,
            "interpreters": interpreters,
        }
        most = MOST_ELEMENTS if max_tasks_per_worker is None else max_tasks_per_worker
        alone = timeout is None and initializer is None and max_tasks_per_worker is None
        self._size = (
            ChunkSize(most=most, may_stay=alone)
            if chunk == "auto"
            else ChunkSize(min(chunk, most), fixed=True)
        )
        self._processes: ProcessCalls
        self._share: MemoryShare | None = None
        self._weights = [0.0, 0.0]  # bytes of an element and of a result, as they were lately
        self._times = [0.0, 0.0]  # in calls, and in pickling on both sides

    def start(self) -> None:
        super().start()
        self._processes = self.context.process_calls(self._function, **self._how)
        self._share = self.context.memory_share()

    def advance(self, budget: Budget) -> None:
        super().advance(budget)
        self._fitting(0)  # report what is left

    def stop(self, error: BaseException | None) -> None:
        super().stop(error)
        if hasattr(self, "_processes"):
            self._processes.close()
        if self._share is not None:
            self._share.release()
            self.held_bytes = 0

    def held(self) -> list[Any]:
        calls = sorted({*self._calls, *self._not_ended}, key=attrgetter("position"))
        return list(chain.from_iterable(call.element[self._given_of(call) :] for call in calls))

    def _given_of(self, call: Call) -> int:
        """How many elements of the chunk are dealt with."""
        if call.error is not None or not call.done:
            return 0
        if not call.value:
            return len(call.element)
        run: _Results = call.value[-1]
        return run.first + (0 if self.flat else run.given)

    def release_held(self) -> None:
        left = Call([None] * len(self.held()), 0)  # new ones: a function looks at its own
        self._calls, self._not_ended = deque(), {left}

    def details(self) -> dict[str, Any]:
        size, (calling, pickling) = self._size, self._times
        pool = self._processes.figures() if hasattr(self, "_processes") else {}
        whole = calling + pickling
        shares = {"chunk": size.elements, "pickling": pickling / whole if whole else 0.0}
        return {**super().details(), **shares, "in_process": size.here, **pool}

    # In the stage's turn

    @property
    def _room(self) -> int:
        """How many elements the next chunk gets."""
        held = len(self._calls) if self._ordered else len(self._calls) + len(self._not_ended)
        if held >= self._parallelism + self._workers * self._size.spare:
            return 0
        free = self._parallelism - len(self._not_ended)
        last = self._workers if self.inlet.done else 0
        return self._fitting(self._size.take(self.inlet.buffered, free, last))

    def _fitting(self, elements: int) -> int:
        """How many of ``elements`` may be held besides those in calls: one if there are none."""
        if self._share is None:
            return elements
        calls, weight = {*self._calls, *self._not_ended}, sum(self._weights)
        held = sum(len(call.element) for call in calls)
        self.held_bytes = int(held * weight)
        return min(elements, self._share.reserve(held + elements, weight, held) - held)

    def _weigh(self, which: int, values: Sequence[Any], weigh: Callable[[Any], float]) -> None:
        if self._share is not None and values:
            weight = weigh(values[0])
            self._weights[which] = lately(self._weights[which], weight)

    def _admit(self, room: int) -> None:
        first = self.inlet.count
        call = Call(self.inlet.gather(room), first)
        self._weigh(0, call.element, self.weigh or weight_of)
        self._not_ended.add(call)
        if self._ordered:
            self._calls.append(call)
        self._waiting.append(call)

    def _emit_ended(self) -> None:
        calls = self._calls
        while calls and calls[0].done:
            call = calls[0]
            if call.error is not None:
                self.fail(call.error)
                return
            if not self._emits_all_of(call):
                return
            calls.popleft()

    def _emits_all_of(self, call: Call) -> bool:
        """Whether all results of the chunk were emitted, and the stage goes on."""
        runs: list[_Results] = call.value
        while runs:
            run = runs[-1]
            if (left := len(run.values) - run.given) > 0:
                most = min(left, self.outlet.demand)
                part = run.values if most == len(run.values) else run.values[run.given :][:most]
                self.outlet.emit(part)
                run.given += most
                if most < left:
                    return False
            runs.pop()
            if run.error is not None:
                element, position = call.element[run.at], call.position + run.at
                if not self.survives(run.error, element, position):
                    return False
        return True

    def _finish(self, call: Call, value: Any, error: BaseException | None) -> None:
        if error is None:
            if (fallback := self.fallback) is not None:
                self._fall_back(fallback, call.element, value)
            if isinstance(value, _LocalResults):
                self._size = self._size.after_here(len(call.element), value.seconds)
            elif value.whole:
                self._learn(len(call.element), value)
            self._weigh(1, value.values, weight_of)
            self._parallelism = self.load.most = self._places
            value = self._runs_of(value)
        super()._finish(call, value, error)

    def _fall_back(
        self, fallback: Fallback, elements: Sequence[Any], results: ChunkResults | _LocalResults
    ) -> None:
        for at in sorted(results.failures):
            error = results.failures.pop(at)
            results.values[at], failure = fallback.instead_of(elements[at], error)
            if failure is not None:
                results.failures[at] = failure

    def _given_up(self, call: Call, error: Exception) -> tuple[Any, Exception | None]:
        return None, error  # a whole chunk: the stage fails

    @property
    def _places(self) -> int:
        """How many chunks are under way at a time."""
        if self._size.here:
            return 1
        return self._workers * (2 if self._size.ahead else 1)

    def _learn(self, elements: int, chunk: ChunkResults) -> None:
        figures = Measured(elements, chunk.calling, chunk.pickling, chunk.packing, chunk.nbytes)
        self._times[0] += chunk.calling
        self._times[1] += chunk.pickling + chunk.packing
        size = self._size = self._size.after(figures, self._workers)
        if self.window == FIRST_WINDOW:  # the user has not set it
            wanted = CHUNKS_AHEAD * self._workers * size.elements
            light = int(MOST_WINDOW_BYTES / max(size.nbytes, 1.0))
            self.inlet.widen(min(wanted, MOST_WINDOW, light))

    def _runs_of(self, results: ChunkResults | _LocalResults) -> list[_Results]:
        """The last first."""
        values, runs, first = results.values, list[_Results](), 0
        for at in sorted(results.failures):
            run = self._flattened(values[first:at])
            runs.append(_Results(run, first, at, results.failures[at]))
            first = at + 1
        runs.append(_Results(self._flattened(values[first:] if first else values), first))
        runs.reverse()
        return runs

    def _flattened(self, values: list[Any]) -> list[Any]:
        return list(chain.from_iterable(values)) if self.flat else values

    # On a thread that may block

    def _called(self, elements: Sequence[Any]) -> ChunkResults | _LocalResults:
        if self._size.here:
            return self._called_here(elements)
        return self._processes.call(elements, self._size.ahead)

    def _called_here(self, elements: Sequence[Any]) -> _LocalResults:
        """Quick calls, each of which costs less than its way to a worker and back."""
        results, f, left = _LocalResults(), self._function, iter(elements)
        values, began = results.values, self.context.now()
        if self.flat:
            f = partial(_listed, f)
        keep = values.append
        while len(values) < len(elements):
            try:
                for element in left:
                    keep(f(element))
            except BaseException as error:
                results.failures[len(values)] = as_failure(error)
                keep(None)
        results.seconds = self.context.now() - began
        return results


def _listed(f: Callable[[Any], Iterable[Any]], element: Any) -> list[Any]:
    return list(f(element))
