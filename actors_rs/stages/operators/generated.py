"""operator(f)(args)

    in:  1 2 3 4 |
    out: 1 3 6 10 |      (yields the sum so far)

Gives what a generator function of the user's yields, which takes the elements from an iterator.

Back-pressure: the generator runs while downstream has demand, and waits in ``next`` for elements
  of upstream, of which the stage requests its window.
Completes: when the generator returns; then upstream is cancelled. The iterator of the generator
  ends when upstream has completed.
Fails: when the generator raises and the policy is to stop. ``next`` raises the failure of upstream,
  with which the stage fails after what the generator yields after it.
Cancels: upstream, when downstream cancels; the generator is closed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Protocol

from actors_rs.stages.chunks.chunk import ChunkSize
from actors_rs.stages.iterators import close, iterator_of
from actors_rs.stages.ports import Frame, Inlet, Outlet
from actors_rs.stages.stage import Budget, StageLogic

__all__ = ["Generated", "Switch"]


class Switch(Protocol):
    """What runs code that can be left in the middle."""

    over: bool

    def resume(self) -> None:
        """Let the code go on until it pauses or returns."""

    def pause(self) -> None:
        """Called by the code: let the owner go on."""


class Elements(Iterator[Any]):
    """The iterator that the generator draws its elements from."""

    __slots__ = ("_stage",)

    def __init__(self, stage: Generated) -> None:
        self._stage = stage

    def __next__(self) -> Any:
        return self._stage.next_element()


class Generated(StageLogic):
    """The generator that ``make`` returns for an iterator; ``aside`` runs it.

    A generator that runs aside does so while a turn of the stage waits for it. So there is one
    thread of control, and both sides use the same state.
    """

    conserves = False

    def __init__(
        self,
        make: Callable[[Iterator[Any]], Iterable[Any]],
        where: str,
        aside: Callable[[Callable[[], None], str], Switch],
    ) -> None:
        self.inlet, self.outlet = Inlet(), Outlet()
        self.inlets, self.outlets = (self.inlet,), (self.outlet,)
        self.chunk = ChunkSize()
        self._make, self._where = make, where
        self._aside = aside(self._generate, where)
        self._frame: Frame = ()  # the elements that the generator may draw
        self._taken = 0  # how many of them it has drawn
        self._last: tuple[Any, int] | None = None  # the element drawn last, and its place
        self._out: list[Any] = []
        self._most = 0  # results that are asked for
        self._dry = False  # the generator waits for an element
        self._begun = self._ended = self._closing = False
        self._error: BaseException | None = None  # the generator has raised

    # In turns of the stage

    def advance(self, budget: Budget) -> None:
        inlet, outlet = self.inlet, self.outlet
        if outlet.cancelled:
            inlet.cancel(outlet.cause)
            return
        while not outlet.closed and self._may_go_on():
            before = self._taken
            if not self._out:
                self._go_on()
            self.chunk.record(max(1, self._taken - before, len(self._out)), budget.lap())
            self._emit()
            if self._error is not None and not self._survived(self._error):
                return
            if self._ended and not self._out:
                self._leave()
                return
            if budget.spent():
                return

    def _may_go_on(self) -> bool:
        inlet, outlet = self.inlet, self.outlet
        if self._out:  # it looked ahead
            return outlet.demand > 0
        if not outlet.demand and not self._is_over:  # an end needs no demand
            return False
        inlet.open()
        return not self._dry or self._left > 0 or inlet.buffered > 0 or inlet.exhausted

    @property
    def _left(self) -> int:
        return len(self._frame) - self._taken

    @property
    def _is_over(self) -> bool:
        """Whether the generator has taken all elements, and no more will come."""
        return not self._left and self.inlet.exhausted

    def _go_on(self) -> None:
        """Let the generator go on, until it has given as much as is asked for."""
        if not self._left and self.inlet.buffered:
            self._frame, self._taken = self.inlet.take(self.chunk.size), 0
        self._most = max(1, min(self.outlet.demand, self.chunk.size))
        self._begun = True
        self.outlet.overdue = False
        if self.outlet.demand:  # else it looks ahead, and what comes is not to be sent
            self.context.filling(self.outlet, self._out)
        self._aside.resume()

    def _emit(self) -> None:
        if self.outlet.demand:
            out, self._out = self._out, []
            self.outlet.emit(out)

    def _survived(self, error: BaseException) -> bool:
        """Whether another generator begins after the element that was drawn last."""
        self._error = None
        if error is self.inlet.error:
            self.end(error)
            return False
        last, self._last = self._last, None
        if last is None or (self.inlet.error is not None and self._is_over):
            self.fail(error)  # no element is at fault
            return False
        return self.survives(error, *last)

    def _leave(self) -> None:
        """The generator has returned."""
        error = self.inlet.error if self._is_over else None
        if self._left:
            self.inlet.untake(self._frame[self._taken :])
            self._frame, self._taken = (), 0
        self.end(error)

    def halt(self) -> None:
        super().halt()
        self._closing = True

    def stop(self, error: BaseException | None) -> None:
        self._closing = True
        while self._begun and not self._aside.over:
            self._aside.resume()
        if self._error is not None:
            raise self._error

    def held(self) -> Iterable[Any]:
        return self._frame[self._taken :]

    def release_held(self) -> None:
        self._frame, self._taken = [None] * self._left, 0
        self._last, self._out = None, []

    # Aside

    def next_element(self) -> Any:
        """The next element, for the generator; waits until there is one."""
        while not self._closing:
            if self._left and not self.outlet.overdue:
                element = self._frame[self._taken]
                self._taken += 1
                self._last = element, self.inlet.count - self._left - 1
                return element
            if self._is_over:
                if self.inlet.error is not None:
                    raise self.inlet.error
                raise StopIteration
            self._dry = not self._left
            self._aside.pause()
            self._dry = False
        raise GeneratorExit

    def _generate(self) -> None:
        """Generators, one after the other, until one returns or the stage ends."""
        while not self._closing:
            try:
                self._generate_one()
            except BaseException as error:
                if self._closing and isinstance(error, GeneratorExit):
                    return
                self._error = error
                if not self._closing:
                    self._aside.pause()
            else:
                self._ended = True
                return

    def _generate_one(self) -> None:
        results = iterator_of(self._make(Elements(self)), self._where)
        try:
            for result in results:
                self._out.append(result)
                if len(self._out) >= self._most or self.outlet.overdue:
                    self._aside.pause()
                if self._closing:
                    break
        finally:
            close(results)
