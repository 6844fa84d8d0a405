"""Graph(...).fuse(): a source, linear operators and a sink behind each other, in one actor.

Each part keeps its logic and its ports; the links between them are plain calls, so a frame costs
neither a message nor a turn. What a part does, asks for and says when it fails is what it would in
an actor of its own, but they do not run at the same time.

Back-pressure: as its parts do; what goes from one to the next is asked for like anything else.
Completes: when all its parts have ended.
Fails: when one of them does, by its name.
Cancels: upstream, when its first part does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from itertools import pairwise
from typing import Any

from actors_rs.stages.brake import Brake
from actors_rs.stages.linear import Operator, SinkLogic
from actors_rs.stages.pace import LARGEST
from actors_rs.stages.part_context import PartContext
from actors_rs.stages.ports import Frame, Inlet, Outlet
from actors_rs.stages.stage import Budget, StageLogic, StreamEnd

__all__ = ["Line", "LineContext", "LinePart", "SinkLine"]

WINDOW = LARGEST
"""Elements that a part asks the one before it for: no turn is taken in between, so what is held
there is held for as long as a piece takes, and no piece is larger."""

MANY = 1024
"""A window in front of a sink that lets pieces of what is asked for be large."""


class LinePart:
    """One logic of the line, with the name and the line of code that its errors show.

    ``outflow_window`` is that of its stage: what it says of the elements it gives.
    """

    __slots__ = ("context", "label", "logic", "outflow_window", "port", "site")

    context: PartContext

    def __init__(
        self, label: str, site: str, logic: StageLogic, outflow_window: int | None
    ) -> None:
        self.label = label
        self.site = site
        self.logic = logic
        self.outflow_window = outflow_window
        self.port: Inlet | Outlet = logic.outlets[0] if logic.outlets else logic.inlets[0]
        """One that is closed when the part has finished: a cheap look first."""

    def enter(self, line: Line) -> None:
        """Its turns begin: it fails by its own name, but is ``line`` to everything around."""
        self.context = line.context_of(self)
        self.logic.context = self.context
        self.do(self.logic.start)

    def do(self, act: Callable[..., object], *arguments: Any) -> None:
        """``act``, which is the part's: what that raises fails the part."""
        try:
            act(*arguments)
        except BaseException as error:
            self.logic.fail(error)

    def stop(self, error: BaseException | None) -> None:
        """Its end, with what it has ended with; a sink that has not completed, with ``error``."""
        told = self.last_error
        if told is None and isinstance(self.logic, StreamEnd) and not self.logic.completed:
            told = error
        try:
            self.logic.stop(told)
        except BaseException as failure:  # whatever it was, the others are to be stopped too
            self.context.failed(failure)

    @property
    def last_error(self) -> BaseException | None:
        """What it has ended with."""
        if (failure := self.context.failure) is not None:
            return failure
        return next((one.error for one in self.logic.inlets if one.error is not None), None)


class LineContext(PartContext):
    """What is filled for a part of the same line is not sent ahead: it would not be looked at."""

    def __init__(self, line: Line, part: LinePart) -> None:
        super().__init__(line.context, part.label, part.site)
        self._line = line

    def filling(self, outlet: Outlet, frame: list[Any], /) -> bool:
        if outlet in self._line.outlets:
            return self._context.filling(outlet, frame)  # type: ignore[no-any-return]
        self._context.at_work()
        return False


class _Onward:
    """The way from a part's outlet to the inlet of the next one."""

    __slots__ = ("complete", "fail", "push")

    push: Callable[[Frame], None]

    def __init__(self, inlet: Inlet) -> None:
        self.push = inlet.push
        self.fail = self.complete = inlet.complete


class _Back:
    """The way from a part's inlet to the outlet of the one before; the line notes what came."""

    __slots__ = ("_line", "_outlet")

    def __init__(self, line: Line, outlet: Outlet) -> None:
        self._line, self._outlet = line, outlet

    def request(self, n: int) -> None:
        self._outlet.request(n)
        self._line.asked = True

    def cancel(self, cause: BaseException | None = None) -> None:
        self._outlet.cancel(cause)
        self._line.cancelled = True


class _IntoSink:
    """The way to the sink of ``line``: it takes at once what comes, and asks for as much again.

    So ``giver`` goes on with its next piece, without a pass through the line for each: it is asked
    for that while it has its turn. But first comes what it is about to fail with.
    """

    __slots__ = ("_arrive", "_giver", "_line", "complete", "fail")

    def __init__(self, line: Line, giver: StageLogic, inlet: Inlet) -> None:
        self._line, self._giver, self._arrive = line, giver, inlet.push
        self.fail = self.complete = inlet.complete

    def push(self, frame: Frame) -> None:
        self._arrive(frame)
        if not self._giver.failing:
            self._line.let_sink()


class _GiverBudget:
    """That of whoever gives to the sink of ``line``: the sink's time is none of its own."""

    __slots__ = ("_line", "owed")

    def __init__(self, line: Line) -> None:
        self._line = line
        self.owed = 0.0
        """Seconds that went by before the sink began."""

    def lap(self) -> float:
        owed, self.owed = self.owed, 0.0
        return owed + self._line.budget.lap()

    def spent(self) -> bool:
        return self._line.budget.spent()


class _Brakes(Brake):
    """Those of all parts: whoever pulls need not know which of them is at work."""

    __slots__ = ("_brakes",)

    def __init__(self, brakes: Sequence[Brake]) -> None:
        super().__init__()
        self._brakes = brakes

    def pull(self) -> None:
        for brake in self._brakes:
            brake.pull()


class Line(StageLogic):
    """``parts``, two at least: the first may be a source, the last a sink, the others are between.

    A sink has its ``SinkLine``. No part has a policy for failures but to stop.
    """

    def __init__(self, parts: Sequence[LinePart]) -> None:
        logics = [part.logic for part in parts]
        self.inlets, self.outlets = logics[0].inlets, logics[-1].outlets
        self._parts = self._living = tuple(parts)
        self.links = [logic.inlets[0] for logic in logics[1:]]
        self.budget: Budget
        """Of the turn that is going on."""
        self.asked = self.cancelled = False
        """Whether a part has been asked for elements, or cancelled, since it had its turn."""
        self._sink = self._parts[-1] if isinstance(logics[-1], SinkLogic) else None
        self._giver = self._parts[-2] if self._sink is not None else None
        self._givers = _GiverBudget(self)
        for before, part in pairwise(self._parts):
            inlet, outlet = part.logic.inlets[0], before.logic.outlets[0]
            at_once = part is self._sink
            outlet.connect(_IntoSink(self, before.logic, inlet) if at_once else _Onward(inlet))
            inlet.connect(_Back(self, outlet))
        self.interrupt = None  # those of its parts are called
        self.recovers = any(logic.recovers for logic in logics)
        self.ends_with_run = any(logic.ends_with_run for logic in logics)
        self.brake = _Brakes([logic.brake for logic in logics if logic.brake is not None])

    @property
    def waits_outside(self) -> bool:  # type: ignore[override]
        return any(part.logic.waits_outside for part in self._parts)

    @property
    def all_parts(self) -> tuple[LinePart, ...]:
        """Those that have ended, too."""
        return self._parts

    def context_of(self, part: LinePart) -> PartContext:
        """What ``part`` may ask."""
        return LineContext(self, part)

    def start(self) -> None:
        self.set_windows()
        for part in self._parts:
            part.enter(self)
        giver = self._giver.logic if self._giver is not None else None
        if isinstance(giver, Operator) and self.links[-1].window >= MANY:
            giver.within_demand = True  # else pieces would be small although nothing may come

    def set_windows(self) -> None:
        """Those of the links within."""
        window = self.inlets[0].window if self.inlets else WINDOW
        for before, part in pairwise(self._parts):
            if before.outflow_window is not None:
                window = before.outflow_window or WINDOW
            part.logic.inlets[0].window = part.logic.window = window

    def advance(self, budget: Budget) -> None:
        self.budget = budget
        if self.cancelled or (self.outlets and self.outlets[0].cancelled):
            self._look_back()
        if not self._take_what_is_left():
            return
        while True:
            self.asked = self.cancelled = False
            self._pass(self._living)
            if not (self._look_back() or (self.asked and self._may_move())) or budget.spent():
                break

    def _take_what_is_left(self) -> bool:
        """See to what lies within since a turn that was over; whether this one is not.

        From the last link on, before anybody is called for more: else it would lag ever more
        behind, and who has enough with it would not say so.
        """
        for place in range(len(self.links), 0, -1):
            if self.links[place - 1].buffered:
                behind = self._parts[place:]
                self._pass([part for part in self._living if part in behind])
                self._look_back()
                if self.budget.spent():
                    return False
        return True

    def _may_move(self) -> bool:
        """Whether anything may come out, or move within: then the links fill up, as they would."""
        outlets = self.outlets
        if not outlets or outlets[0].demand > 0 or outlets[0].closed:
            return True
        for part in self._living:
            inlets = part.logic.inlets
            if inlets and inlets[0].buffered and part.logic.outlets[0].demand > 0:
                return True
        return False

    def _pass(self, parts: Iterable[LinePart]) -> None:
        """Let each of ``parts`` do what it can, in their order."""
        budget = self.budget
        for part in parts:
            if part is self._sink and self.links[-1].buffered and budget.spent():
                continue  # it took of what has come, and goes on with the next turn
            logic = part.logic
            try:  # as ``do``: this is done for every frame
                logic.advance(budget if part is not self._giver else self._givers)
            except BaseException as error:
                logic.fail(error)
            if part.port.closed and logic.finished:
                self._leave(part)

    def _look_back(self) -> bool:
        """Hand on who was cancelled, up to the first part; whether anybody was.

        Before another piece: in front of a part that wants no more, nobody is to be called for it.
        """
        outlets = self.outlets
        if not self.cancelled and not (outlets and outlets[0].cancelled):
            return False
        for part in reversed(self._living):
            outlets, inlets = part.logic.outlets, part.logic.inlets
            if outlets and outlets[0].cancelled and inlets and not inlets[0].cancelled:
                self._pass((part,))  # all it can do is to cancel
        return self.cancelled

    def let_sink(self) -> None:
        """Let the sink take what has come; whether it asks for more is not noted.

        For whoever gives has its turn now, and goes on by itself.
        """
        assert self._sink is not None
        asked, logic = self.asked, self._sink.logic
        self._givers.owed += self.budget.lap()
        try:
            logic.advance(self.budget)
        except BaseException as error:
            logic.fail(error)
        self.asked = asked

    def _leave(self, part: LinePart) -> None:
        """``part`` has ended, its neighbours may not have."""
        self._living = tuple([one for one in self._living if one is not part])
        if not isinstance(part.logic, SinkLogic):  # that stops with the whole, as it would
            part.stop(None)

    @property
    def finished(self) -> bool:  # not in a pass only: the line may have been ended, or have failed
        return all(part.logic.finished for part in self._living)

    def end(self, error: BaseException | None) -> None:
        for part in self._living:
            part.logic.end(error)

    def drain(self) -> None:
        for part in self._living:
            part.do(part.logic.drain)

    def stop(self, error: BaseException | None) -> None:
        for part in self._parts:
            if part in self._living or isinstance(part.logic, SinkLogic):
                part.stop(error)

    def held(self) -> Iterable[Any]:
        return [element for part in self._parts for element in part.logic.held()]

    def hold_nothing(self) -> None:
        with ExitStack() as parts:  # if one raises, the others are told all the same
            for part in self._parts:
                parts.callback(part.logic.hold_nothing)

    def details(self) -> dict[str, Any]:
        figures: dict[str, Any] = {}
        for number, part in enumerate(self._parts, 1):
            gave = part.logic.outlets or part.logic.inlets
            did = "gave" if part.logic.outlets else "took"
            figures[f"{number} {part.label} {did}"] = gave[0].count
        return figures


class SinkLine(Line, StreamEnd):
    """A line whose last part is a sink: its result is the line's."""

    def __init__(self, parts: Sequence[LinePart]) -> None:
        super().__init__(parts)
        self.inlet = self.links[-1]
        if not self.inlets:  # else its links tell what it takes; and where it gives, what it gives
            self.last_inlet = self.inlet

    def _leave(self, part: LinePart) -> None:
        super()._leave(part)
        if isinstance(part.logic, SinkLogic):
            self.result, self.completed = part.logic.result, part.logic.completed
