"""What stages with inner streams share: inlets that come and go, and know when there is news."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

from actors_rs.stages.inner.inner_ports import InnerInput
from actors_rs.stages.inner.port_set import PortSet
from actors_rs.stages.ports import Frame, Inlet, Outlet
from actors_rs.stages.stage import StageLogic

__all__ = ["InnerInlet", "InnerStreamsLogic"]


class InnerInlet(InnerInput):
    """The inlet of one of several inner streams: what arrives puts it in line for a look."""

    __slots__ = ("_line", "in_line")

    def __init__(self, name: str, window: int, line: deque[InnerInlet]) -> None:
        super().__init__(name, window)
        self.in_line = False
        self._line = line

    def push(self, frame: Frame) -> None:
        super().push(frame)
        self.get_in_line()

    def complete(self, error: BaseException | None = None) -> None:
        super().complete(error)
        self.get_in_line()

    def fill(self, elements: Sequence[Any]) -> None:
        """Hold ``elements``, and know that there are no more."""
        self.opened = True
        self._requested = len(elements)
        self.push(elements)
        self.complete()

    def get_in_line(self) -> None:
        """Join the line of inlets to look at, at its end; once however much has arrived."""
        if not self.in_line and not self.cancelled:
            self.in_line = True
            self._line.append(self)


class InnerStreamsLogic(StageLogic):
    """One outlet, perhaps an outer inlet, and inner streams that are started on the way.

    ``line`` holds the inner inlets with news, ``running`` says how many there are.
    """

    inlets: PortSet[Inlet]

    def __init__(self, *outer: Inlet) -> None:
        self.outlet = Outlet()
        self.outlets = (self.outlet,)
        self.inlets = PortSet(*outer)
        self.line: deque[InnerInlet] = deque()
        self._looked_at = 0  # how many of the line were left in it by ``take_out_of_line``
        self._outer = len(outer)
        self.running = 0
        self.started = 0
        self._past: Inlet | None = None  # keeps count of what came from streams that ended
        self._unwanted: list[int] = []  # numbers of elements that came and were not taken

    def begin(
        self,
        source: object,
        window: int | None = None,
        *,
        forgiving: bool = False,
    ) -> InnerInlet:
        """Start ``source``; raises what ``StageContext.attach`` does. Its inlet is not open yet.

        ``forgiving``: if it fails after its cancellation, that is no failure of the run.
        """
        inlet = InnerInlet(f"inner {self.started}", window or self.window, self.line)
        inlet.forgiving = forgiving
        self.inlets.append(inlet)
        try:
            self.context.attach(source, inlet)
        except BaseException:
            self.inlets.remove(inlet)  # nothing feeds it
            inlet.cancel()  # or a part of it has begun, whose end still comes
            raise
        self.running += 1
        self.started += 1
        return inlet

    def hold(self, elements: Sequence[Any]) -> InnerInlet:
        """Start an inner stream that is nothing but ``elements``: there is no source to ask.

        A section counts the elements that are dropped, unless they are a range: that may be huge.
        """
        inlet = InnerInlet(f"inner {self.started}", len(elements), self.line)
        inlet.on_drop = None if isinstance(elements, range) else self.on_lost
        inlet.fill(elements)
        self.inlets.append(inlet)
        self.running += 1
        self.started += 1
        return inlet

    def first_in_line(self) -> InnerInlet:
        """The next one to look at, out of the line, which is not empty."""
        inlet = self.line.popleft()
        inlet.in_line = False
        if self._looked_at:
            self._looked_at -= 1
        return inlet

    def take_out_of_line(self, wanted: Callable[[InnerInlet], bool]) -> list[InnerInlet]:
        """Remove the ``wanted`` inlets that joined the line since this was asked, and return them.

        So each is looked at once: otherwise every turn would go through a line of a hundred
        thousand inlets that wait for demand.
        """
        line, taken = self.line, []
        new = [line.pop() for _ in range(len(line) - self._looked_at)]
        for inlet in reversed(new):
            if wanted(inlet):
                inlet.in_line = False
                taken.append(inlet)
            else:
                line.append(inlet)
        self._looked_at = len(line)
        return taken

    def look_again(self) -> None:
        """Let ``take_out_of_line`` look at all that are in line."""
        self._looked_at = 0

    def forget(self, inlet: InnerInlet) -> None:
        """The inner stream has ended or was cancelled."""
        self.inlets.remove(inlet)
        self._count(inlet.count)
        inlet.count_dropped_in(self._unwanted)
        self.running -= 1

    def pass_by(self, elements: int) -> None:
        """An inner stream of so many elements has begun and ended at once."""
        self.started += 1
        self._count(elements)

    def _count(self, elements: int) -> None:
        if self._past is None:
            self._past = InnerInput("past")
            self._past.complete()
            self.inlets.append(self._past)
        self._past.count += elements

    def drop(self, inlet: InnerInlet) -> None:
        """Cancel an inner stream that is not wanted any more, or forgive that it has failed."""
        if inlet.forgiving and inlet.error is not None:
            self.context.recovered(inlet.error)
            self.context.report(None, "a stream failed after its cancellation", inlet.error)
        inlet.cancel()
        self.forget(inlet)

    def flow(self, inlet: InnerInlet) -> bool:
        """Emit what ``inlet`` holds as far as it is demanded; whether its stream goes on.

        A stream that completed is forgotten. One that failed ends this stage after its last
        element.
        """
        outlet = self.outlet
        while inlet.buffered and outlet.demand:
            outlet.emit(inlet.take(outlet.demand))
        if not inlet.exhausted:
            return True
        self.forget(inlet)
        if inlet.error is not None:
            self.end(inlet.error)
        return False

    def held_back(self) -> bool:
        """Without a look at each inner stream, of which there may be a hundred thousand."""
        outer = any(self.inlets[place].buffered for place in range(self._outer))
        return not self.outlet.closed and not self.outlet.demand and (outer or bool(self.line))

    def details(self) -> dict[str, Any]:
        figures = {"inner": self.running, "started": self.started}
        if unwanted := sum(self._unwanted):
            figures["unwanted"] = unwanted
        return figures
