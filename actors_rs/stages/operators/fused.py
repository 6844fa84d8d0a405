"""flow.map(f).filter(p).sum().fuse()

in:  1 2 3 4 |
out:         f(2) + f(4) |      (one actor instead of three)

Several linear operators as one stage: each piece of the input goes through all of them.

Back-pressure: asks for its window; calls no function for more than may come out, but for what a
  fold takes, or a filter lets pass.
Completes: when its operators do, the last ones behind what the ones before them gave.
Fails: with upstream, or when a function raises; the error names the operator it belongs to.
Cancels: upstream, when downstream cancels or one of the operators has had enough.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import takewhile
from typing import Any

from actors_rs.errors import DeciderError, StageError
from actors_rs.raised import named_by
from actors_rs.stages.counted import behind
from actors_rs.stages.edged import EdgedOperator, Folding
from actors_rs.stages.failure import Policy
from actors_rs.stages.linear import Operator
from actors_rs.stages.pace import LARGEST
from actors_rs.stages.part_context import named_as
from actors_rs.stages.ports import Frame
from actors_rs.stages.stage import Budget
from actors_rs.stages.written_loops import through


@dataclass(frozen=True, slots=True)
class Part:
    """One of the operators, with the name and the line that its errors show."""

    name: str
    site: str
    logic: Operator


class Fused(Operator):
    """``parts``, none of which is ``expanding``: what comes out is never more than goes in.

    What an operator gives of its own, at its begin or end, waits in a line for demand like the
    input does: with the number of the operator that it goes to next.
    """

    survive_renewal = Operator.survive_renewal | {"_line", "_begun", "_over", "_ending", "_why"}

    def __init__(self, parts: Sequence[Part]) -> None:
        super().__init__()
        self._parts = parts
        self._steps = [part.logic.loop_step for part in parts]
        self._line: deque[tuple[int, Frame]] = deque()
        self._unfinished: list[Any] = []  # of the pieces in which the stage failed
        self._begun = False
        self._over = False  # no more input: upstream has ended, or is not needed
        self._ending = 0  # the first operator that has not ended
        self._why: BaseException | None = None  # upstream failed, or one of the operators
        self._at_fault = 0  # the operator that raised last
        self._put_back = 0  # of the piece in hand, behind a call that was slow or beyond demand
        self._broken = False  # it could not begin anew: nothing goes through its operators
        self._barren = 0  # elements taken since something came out
        folds = [n for n, part in enumerate(parts) if isinstance(part.logic, Folding)]
        self._fold = folds[-1] if folds else -1  # up to here one element of demand takes all

    def be_frugal(self) -> None:
        if not any(part.logic.asks_ahead for part in self._parts):
            super().be_frugal()

    def start(self) -> None:
        broken: dict[int, BaseException] = {}
        for index, part in enumerate(self._parts):
            part.logic.context, part.logic.brake = self.context, self.brake
            try:
                with named_as(part.name, part.site):
                    part.logic.start()
            except Exception as error:
                if self._begun:  # restarted
                    raise
                broken[index] = error
        if not self._begun:
            self._begun = True
            self._begin_with_edges(broken)

    def _begin_with_edges(self, broken: Mapping[int, BaseException]) -> None:
        """What the operators give at first, but for those before a ``broken`` one."""
        for index in reversed(range(len(self._parts))):  # the last one speaks first
            if index in broken:
                self._fail_at(index, broken[index])
            elif isinstance(edged := self._parts[index].logic, EdgedOperator):
                self._put_in_line(index, edged.first_results)
            if self._over:
                return

    def advance(self, budget: Budget) -> None:
        inlet, outlet = self.inlet, self.outlet
        if outlet.cancelled:
            inlet.cancel(outlet.cause)
            return
        self._look_for_ends()
        if inlet.room is not None and outlet.demand:
            inlet.open()
        handled = 0
        while outlet.demand > 0:
            if not self._line and not inlet.buffered:
                inlet.open()
                break
            if handled and budget.spent():
                return
            handled = self._advance_piece()
            self.pace.record(handled, budget.lap())
            self._look_for_ends()
        if self._over and not self._line and self._ending == len(self._parts):
            self.end(self._why)

    def stop(self, error: BaseException | None) -> None:
        for part in self._parts:
            part.logic.stop(error)

    def renew(self, error: BaseException, position: int | None) -> None:
        self._look_for_enough()  # the fresh ones do not know
        counts = [part.logic.inlet.count for part in self._parts]
        try:
            super().renew(error, position)
        except Exception:
            self._broken, self._at_fault = True, len(self._parts) - 1
            raise
        for part, count in zip(self._parts, counts, strict=True):
            part.logic.inlet.count = count  # as an inlet of its own would go on counting

    def held(self) -> Iterable[Any]:
        held = [element for part in self._parts for element in part.logic.held()]
        if self.outlet.closed:  # else what waits in line has still to go through
            held += self._unfinished
            held += [element for _, frame in self._line for element in frame]
        return held

    def hold_nothing(self) -> None:
        for part in self._parts:
            part.logic.hold_nothing()
        self._line = deque((index, [None] * len(frame)) for index, frame in self._line)
        self._unfinished = [None] * len(self._unfinished)

    def details(self) -> dict[str, Any]:
        taken = [(part.name, part.logic.inlet.count) for part in self._parts]
        return {f"{number} {name} took": count for number, (name, count) in enumerate(taken, 1)}

    def _advance_piece(self) -> int:
        given = self.outlet.count
        self._put_back = 0
        index, piece = self._next_piece()
        self._emit(self._through(index, piece))
        handled = max(len(piece) - self._put_back, 1)
        self._barren = self._barren + handled if self.outlet.count == given else 0
        return handled

    def _next_piece(self) -> tuple[int, Frame]:
        """What is to be handled next, and the operator at which it begins."""
        index = self._line[0][0] if self._line else 0
        most = min(self._most_at(index), self.pace.size)
        if not self._line:
            return 0, self.inlet.take(most)
        index, piece = self._line.popleft()
        if len(piece) > most:
            self._line.appendleft((index, piece[most:]))
            piece = piece[:most]
        return index, piece

    def _most_at(self, index: int) -> int:
        """How many elements may go to the operator at ``index``, by what may come out of them.

        A loop of steps ends when enough came out, so it gets more where little does.
        """
        if index <= self._fold:
            return self.pace.size
        size = self._run_at(index)
        ends_itself = size > 1 and index + size == len(self._parts)
        return max(self.outlet.demand, self._barren) if ends_itself else self.outlet.demand

    def _emit(self, frame: Frame) -> None:
        if not self.outlet.closed:
            self.outlet.emit(frame)

    def _through(self, index: int, piece: Frame) -> Frame:
        """What comes of ``piece`` in the operators from ``index`` on."""
        while piece and index < len(self._parts):
            size = self._run_at(index)
            piece = self._apply(index, piece) if size == 1 else self._loop(index, size, piece)
            index += size
        return piece

    def _run_at(self, index: int) -> int:
        """How many operators from ``index`` on are handled at once: all that are steps, else 1."""
        return max(1, sum(1 for _ in takewhile(bool, self._steps[index:])))

    def _apply(self, index: int, piece: Frame) -> Frame:
        """What one operator makes of ``piece``; nothing if that failed the stage."""
        logic, out = self._parts[index].logic, self._begin(index + 1)
        left = size = len(piece)
        before = logic.inlet.count
        logic.inlet.count += size
        while True:
            rest = left
            logic = self._parts[index].logic  # it may have been restarted
            left, error = self.brake.run(logic, piece, rest, out)
            if error is None:
                break
            if left == rest:  # no element is at fault
                self._deliver(index, index + 1, out)
                self._fail_at(index, error)
                self._unfinished += piece[size - left :]
                return ()
            part, element = self._parts[index], piece[-left - 1]
            error = logic.explained(error, element)
            named = StageError(part.name, error, before + size - left - 1, part.site)
            deliver = partial(self._deliver, index, index + 1, out)
            if not self.survives(named, element, None, first=deliver):
                self._unfinished += piece[size - left :]
                return ()
        logic.inlet.count -= left
        if not logic.satisfied or not index:
            self._put_in_front(index, piece, left)
        return out

    def _begin(self, index: int) -> list[Any]:
        """A list for what goes to the operator at ``index``, made by functions that may be slow."""
        out: list[Any] = []
        if index == len(self._parts):
            self.context.filling(self.outlet, out)
        else:
            self.context.at_work()
        return out

    def _put_in_front(self, index: int, piece: Frame, left: int) -> None:
        """The last ``left`` elements of ``piece`` go to the operator at ``index`` next time."""
        if left:
            self._put_back += left
            self._line.appendleft((index, piece[len(piece) - left :]))

    def _loop(self, index: int, size: int, piece: Frame) -> Frame:
        """What ``size`` steps make of ``piece`` in one loop; nothing if that failed the stage."""
        out, left, most = self._begin(index + size), len(piece), self.outlet.demand
        if index + size < len(self._parts):
            most = left
        while True:
            elements = behind(piece, len(piece) - left)
            steps = self._steps[index : index + size]
            passed = through(steps, elements, out, self.brake, most)  # type: ignore[arg-type]
            left = passed.left
            for part, taken in zip(self._parts[index : index + size], passed.taken, strict=True):
                part.logic.inlet.count += taken
            if passed.stumble is None:
                self._put_in_front(index, piece, left)
                return out
            step, element, error = passed.stumble
            part = self._parts[index + step]
            error = part.logic.explained(error, element)
            named = StageError(part.name, error, part.logic.inlet.count - 1, part.site)
            deliver = partial(self._deliver, index + step, index + size, out)
            if not self.survives(named, element, None, first=deliver):
                self._unfinished += piece[len(piece) - left :]
                return ()

    def _deliver(self, at_fault: int, index: int, out: Frame) -> None:
        """Let ``out`` go all the way, although it may be slow: it comes before a failure."""
        if self._broken:
            self._give_up(out)
            return
        self._put_back = 0
        self._emit(self._through(index, out))
        while self._put_back and self._line:
            self._put_back = 0
            self._emit(self._through(*self._line.popleft()))
        self._at_fault = at_fault  # last: another one may have raised for what was delivered

    def _fail_at(self, index: int, error: BaseException) -> None:
        """The operator at ``index`` failed, and no element is at fault."""
        part = self._parts[index]
        self._at_fault = index
        self.end_behind(self.context.failed(named_by(part.name, part.site, error)))

    def end_behind(self, failure: BaseException) -> None:
        """The operators behind the one at fault give what they hold before."""
        index = self._at_fault
        if self._over and self._ending > index:
            return  # one behind it has failed, for what came before that element
        self._untake()
        self._unfinished += [one for at, frame in self._line if 0 < at <= index for one in frame]
        self._line = deque((at, frame) for at, frame in self._line if at > index)
        self._over, self._why, self._ending = True, failure, index + 1
        self.inlet.cancel(failure)

    def _decide(self, error: BaseException, element: Any) -> tuple[Policy, DeciderError | None]:
        cause = error.__cause__  # not asked for its truth: a user's exception may define that
        return super()._decide(error if cause is None else cause, element)

    def _look_for_ends(self) -> None:
        """End the operators that are due, one by one, each behind what came before."""
        self._look_for_enough()
        if self.inlet.exhausted and not self._over:
            self._over, self._why = True, self.inlet.error
        while self._over and not self._line and self._ending < len(self._parts):
            index = self._ending
            edged = self._parts[index].logic
            if isinstance(edged, EdgedOperator) and not self.outlet.closed:
                self._put_in_line(index, partial(edged.last_results, self._why))
            self._ending = index + 1

    def _look_for_enough(self) -> None:
        """Where an operator is satisfied, nothing is left to do for those before it."""
        enough = self._last_satisfied()
        if enough >= self._ending:
            self._over, self._why, self._ending = True, None, enough + 1
            self._untake()
            self._line = deque((index, frame) for index, frame in self._line if index > enough)
            self.inlet.cancel()

    def _untake(self) -> None:
        """Give back what was put back in front of the first operator, before others leave line."""
        for index, frame in self._line:
            if not index:
                self.inlet.untake(frame)

    def _last_satisfied(self) -> int:
        for index in reversed(range(len(self._parts))):
            if self._parts[index].logic.satisfied:
                return index
        return -1

    def _put_in_line(self, index: int, results: Callable[[], Iterable[Any]]) -> None:
        """What the operator at ``index`` gives of its own goes to the next one."""
        try:
            frame = list(results())
            # In parts, for the rest of one that is taken in pieces is cut off each time.
            for begin in range(0, len(frame), LARGEST):
                self._line.append((index + 1, frame[begin : begin + LARGEST]))
        except Exception as error:
            self._fail_at(index, error)
