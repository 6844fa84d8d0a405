"""A marble diagram's description, and what a run in virtual time makes of it.

A tape is a text with a word for each second: elements, ``-`` for none, ``|`` for the completion,
``X`` for a failure. Signals of the same second are joined by ``;``.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from math import floor
from typing import Any, Literal

from actors_rs import Flow, Graph, Sink, Source
from actors_rs.testing.world import World

LONGEST = 20
"""Seconds that are drawn of a stream without an end."""

Kind = Literal["elements", "time", "failure", "streams", "result"]
"""What an operator changes: which elements there are, when they come, how failures end, which
streams come together or part, or whether a stream becomes a single result."""


@dataclass(frozen=True)
class Marble:
    """One diagram: the tapes of the inputs, the graph between, and the tapes that come out."""

    kind: Kind
    inputs: dict[str, str]
    build: Callable[..., Any]
    outputs: dict[str, str]
    takes: int = 0
    """Seconds that downstream takes for each element; 0: it takes elements at once."""
    sinks: int = 0
    """How many sinks ``build`` gets after the inputs; their tapes come last in ``outputs``."""
    call: str = ""
    """The text in the box, where it is not that of ``build``."""
    note: str = ""
    """A remark for the reader."""


@dataclass
class Recorder:
    """The signals of one outlet, with their times."""

    world: World
    takes: int
    signals: list[tuple[float, bool, str]] = field(default_factory=list)

    def end(self, flow: Any) -> Any:
        """A graph that records all signals of ``flow``."""
        flow = flow.on_termination(self.failed)
        sink = Sink.for_each(self.element).map_result(self.completed)
        if self.takes:
            flow, sink = flow.with_attributes(window=1), sink.with_attributes(window=1)
        return flow.to(sink)

    def element(self, element: Any) -> None:
        self.signals.append((self.world.now, False, shown(element)))
        if self.takes:
            self.world.sleep(self.takes)

    def failed(self, error: BaseException | None) -> None:
        if error is not None:
            self.signals.append((self.world.now, True, "X"))

    def completed(self, _: object) -> None:
        self.signals.append((self.world.now, True, "|"))

    def tape(self) -> str:
        """The signals as a tape."""
        seconds: dict[int, list[str]] = {}
        for moment, _, text in sorted(self.signals, key=lambda one: one[:2]):
            if moment <= LONGEST:
                seconds.setdefault(floor(moment + 0.001), []).append(text)
        last = max(seconds, default=-1)
        return " ".join(";".join(seconds.get(second, ["-"])) for second in range(last + 1))


def tape(text: str) -> Any:
    """A source that plays a tape; a failure is a ``ValueError``."""

    async def signals() -> AsyncIterator[int | str]:
        for word in text.split():
            for signal in word.split(";"):
                if signal == "|":
                    return
                if signal == "X":
                    raise ValueError("X")
                if signal != "-":
                    yield int(signal) if signal.isdigit() else signal
            await asyncio.sleep(1)
        await asyncio.sleep(10 * LONGEST)

    return Source.from_iterable(signals)


def shown(element: Any) -> str:
    """An element as it stands in a marble."""
    return str(element).replace(" ", "").replace("'", "")


def play(marble: Marble) -> dict[str, str]:
    """The tapes that come out of a run in virtual time."""
    with World(window=16) as world:
        taps = [Recorder(world, 0) for _ in range(marble.sinks)]
        inputs = [tape(text) for text in marble.inputs.values()]
        outlets = marble.build(*inputs, *(tap.end(Flow()) for tap in taps))
        outlets = outlets if isinstance(outlets, tuple | list) else (outlets,)
        recorders = [Recorder(world, marble.takes) for _ in outlets]
        ends = [recorder.end(flow) for recorder, flow in zip(recorders, outlets, strict=True)]
        run = world.start(Graph(*ends))
        if not run.wait(LONGEST + 1):
            run.cancel()
            run.wait(LONGEST)
        named = zip(marble.outputs, [*recorders, *taps], strict=True)
        return {name: recorder.tape() for name, recorder in named}


__all__ = ["LONGEST", "Kind", "Marble", "play", "shown", "tape"]
