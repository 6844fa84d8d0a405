"""fan(Sink.sum(), Sink.count()): several sinks as one; the result is a tuple of theirs.

Each element goes to all of them, in the turn of one actor. One that has had enough takes no more,
the others go on.

Back-pressure: takes as fast as all sinks together do.
Completes: when upstream completes, or all sinks have had enough.
Fails: when one of the sinks does, by its name.
Cancels: upstream, when all sinks have had enough or one has failed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

from actors_rs.raised import named_by
from actors_rs.stages.failure import OnFailure, Policy
from actors_rs.stages.linear import SinkLogic

__all__ = ["Fan", "Part"]


@dataclass(frozen=True, slots=True)
class Part:
    """One of the sinks: how it is made, and how its errors name it."""

    name: str
    site: str
    make: Callable[[], Any]
    on_failure: OnFailure | None


@contextmanager
def _named_as(label: str, site: str) -> Iterator[None]:
    """An exception inside, with no element at fault, is a failure of the sink ``label``."""
    try:
        yield
    except Exception as error:
        if (named := named_by(label, site, error)) is error:
            raise
        raise named from error


class FanSinkContext:
    """The stage's context for one of its sinks: failures carry the name and line of that sink."""

    def __init__(self, context: Any, label: str, site: str, name: str | None = None) -> None:
        self._context = context
        self._label = label
        self._site = site
        self.name = name or label
        """The sink's own name."""
        self.failure: BaseException | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._context, name)

    def failed(
        self,
        error: BaseException,
        /,
        position: int | None = None,
        *,
        plain: bool = False,
        beside: BaseException | None = None,
    ) -> Any:
        named = error if plain else named_by(self._label, self._site, error, position)
        self.failure = self._context.failed(named, plain=plain, beside=beside)
        return self.failure

    def passed_over(
        self, element: Any, error: Exception, position: int | None, policy: Policy, /
    ) -> None:
        named = named_by(self._label, self._site, error, position)
        self._context.passed_over(element, named, None, policy)


class Fan(SinkLogic):
    """Gives every chunk to each of its sinks in turn."""

    def __init__(self, parts: Sequence[Part]) -> None:
        super().__init__()
        self._parts = parts
        self._sinks: list[SinkLogic] = []
        self._contexts: list[FanSinkContext] = []

    def start(self) -> None:
        for number, part in enumerate(self._parts):
            sink: SinkLogic = part.make()
            name = self.name_of(number, part)
            self._contexts.append(FanSinkContext(self.context, part.name, part.site, name))
            sink.context = self._contexts[-1]
            sink.on_failure = part.on_failure or self.on_failure
            sink.remake = part.make
            sink.on_lost = sink.inlet.on_drop = self.on_lost
            self._sinks.append(sink)
            with _named_as(part.name, part.site):
                sink.start()
        super().start()

    def name_of(self, number: int, part: Part) -> str:
        """The name that the sink of ``part`` has for itself."""
        return part.name

    def consume(self, elements: Iterator[Any], /) -> None:
        frame = list(elements)
        for sink in self._sinks:
            if not sink.satisfied:
                self._give(sink, frame)
        if self._has_failed():
            return
        self.satisfied = all(sink.satisfied for sink in self._sinks)

    @property
    def settled(self) -> bool:
        return all(sink.settled for sink in self._sinks)

    def finish(self) -> tuple[Any, ...]:
        results = []
        for part, sink in zip(self._parts, self._sinks, strict=True):
            with _named_as(part.name, part.site):
                results.append(sink.finish())
        self._has_failed()
        return tuple(results)

    def stop(self, error: BaseException | None) -> None:
        with ExitStack() as every:
            for sink in reversed(self._sinks):
                every.callback(sink.stop, error)

    def halt(self) -> None:
        super().halt()
        for sink in tuple(self._sinks):
            sink.halt()

    def held(self) -> list[Any]:
        """Each sink's own: what two of them hold, both have not written."""
        return [element for sink in self._sinks for element in sink.held()]

    def release_held(self) -> None:
        super().release_held()
        with ExitStack() as every:
            for sink in self._sinks:
                every.callback(sink.release_held)

    def details(self) -> dict[str, Any]:
        pairs = zip(self._parts, self._sinks, strict=False)
        return {part.name: figures for part, sink in pairs if (figures := sink.details())}

    def _give(self, sink: SinkLogic, frame: list[Any]) -> None:
        sink.inlet.count += len(frame)
        elements = iter(frame)
        try:
            sink.consume(elements)
        except Exception as error:
            sink._go_on_in(frame, elements, elements, error)

    def _has_failed(self) -> bool:
        """Whether one of the sinks has; then the stage has too."""
        failure = next((c.failure for c in self._contexts if c.failure is not None), None)
        if failure is not None:
            self.end(failure)
        return failure is not None
