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
from itertools import pairwise
from typing import Any

from actors_rs.stages.brake import Brake
from actors_rs.stages.linear import SinkLogic
from actors_rs.stages.pace import LARGEST
from actors_rs.stages.part_context import PartContext
from actors_rs.stages.ports import Inlet, Outlet
from actors_rs.stages.stage import Budget, StageLogic, StreamEnd

__all__ = ["Line", "LinePart", "SinkLine"]

WINDOW = LARGEST
"""Elements that a part asks the one before it for: no turn is taken in between, so what is held
there is held for as long as a piece takes, and no piece is larger."""


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
        self.context = _Context(line, self)
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


class _Context(PartContext):
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

    def __init__(self, inlet: Inlet) -> None:
        self.push = inlet.push
        self.fail = self.complete = inlet.complete


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
        self._links = [logic.inlets[0] for logic in logics[1:]]
        for logic, inlet in zip(logics, self._links, strict=False):
            logic.outlets[0].connect(_Onward(inlet))
            inlet.connect(logic.outlets[0])
        self.waits_outside = any(logic.waits_outside for logic in logics)
        self.ends_with_run = any(logic.ends_with_run for logic in logics)
        self.brake = _Brakes([logic.brake for logic in logics if logic.brake is not None])

    def start(self) -> None:
        window = self.inlets[0].window if self.inlets else WINDOW
        for before, part in pairwise(self._parts):
            if before.outflow_window is not None:
                window = before.outflow_window or WINDOW
            part.logic.inlets[0].window = part.logic.window = window
        for part in self._parts:
            part.enter(self)

    def advance(self, budget: Budget) -> None:
        moved: list[int] | None = None
        living = None
        if self._links[-1].buffered:  # of a turn that was over: else it would lag ever more behind
            self._pass(self._living[-1:], budget)
            if budget.spent():  # no piece behind it: somebody may have cancelled meanwhile
                return
        while moved != (moved := self._moved()) or living is not self._living:
            living = self._living
            self._pass(self._living, budget)
            if budget.spent():
                break

    def _pass(self, parts: Iterable[LinePart], budget: Budget) -> None:
        """Let each of ``parts`` do what it can, in their order."""
        for part in parts:
            try:  # as ``do``: this is done for every frame
                part.logic.advance(budget)
            except BaseException as error:
                part.logic.fail(error)
            if part.port.closed and part.logic.finished:
                self._leave(part)

    def _moved(self) -> list[int]:
        """Differs when an element was taken within the line or asked for, or a link cancelled."""
        return [
            -1 if inlet.cancelled else 2 * inlet.count + inlet.buffered + inlet.outstanding
            for inlet in self._links
        ]

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
        for part in self._parts:
            part.logic.hold_nothing()

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
        self.inlet = self._links[-1]
        if not self.inlets:  # else its links tell what it takes; and where it gives, what it gives
            self.last_inlet = self.inlet

    def _leave(self, part: LinePart) -> None:
        super()._leave(part)
        if isinstance(part.logic, SinkLogic):
            self.result, self.completed = part.logic.result, part.logic.completed
