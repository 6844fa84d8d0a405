"""Where the stages of inner streams stand: what started them, what feeds them, what they feed.

Inner streams end and are forgotten, so links between ended stages are told by kinds of stages, as
their figures are: ``of (ended)`` for all sources of that kind.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from actors_rs.graph.blueprint import OutletRef, StageSpec
    from actors_rs.graph.shell import StageActor

__all__ = ["InnerLinks", "name_when_ended", "shown_name"]


class InnerLinks:
    """The links of one stage of an inner stream, for pictures.

    ``spec`` is the stage's, ``host`` runs the stream and ``out`` is the end of the stream. Most
    streams end before anybody looks, so this is no more than what has to be known.
    """

    __slots__ = ("_host", "_out", "_spec")

    def __init__(self, host: StageActor, spec: StageSpec, out: OutletRef) -> None:
        self._host = host
        self._spec = spec
        self._out = out

    @property
    def host(self) -> str:
        """The stage that runs the stream; its kind if it is itself a part of an inner stream."""
        return shown_name(self._host)

    @property
    def started_by(self) -> tuple[str, ...]:
        """The host, of a source; nothing else is begun by it alone."""
        return () if self._spec.inputs else (self._host.name,)

    @property
    def fed_by(self) -> list[str]:
        """The kinds that feed its inlets, as they are called when they have ended."""
        return [
            name_when_ended(ref.spec.kind) if ref.spec.lent is None else ref.spec.lent.shown_owner
            for ref in self._spec.inputs
        ]

    @property
    def end(self) -> int | None:
        """Which of its outlets feeds the host; ``None`` if another stage of the stream does."""
        return self._out.index if self._out.spec is self._spec else None


@lru_cache(maxsize=256)
def name_when_ended(kind: str) -> str:
    """What all ended stages of ``kind`` are called together."""
    return f"{kind} (ended)"


def shown_name(stage: StageActor) -> str:
    """A name for ``stage`` of which there are few in a run."""
    return stage.name if stage.inner_links is None else name_when_ended(stage.kind)
