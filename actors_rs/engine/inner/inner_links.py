"""The links of stages of inner streams: to the stage that runs the stream, and among each other.

A run forgets inner streams that have ended. Links between their stages are shown by kinds of
stages, as their figures are: ``of (ended)`` stands for all ended sources of that kind.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from actors_rs.graph.spec import OutletRef, StageSpec

__all__ = ["InnerLinks", "inner_links_of", "name_when_ended", "shown_name"]


class InnerLinks(NamedTuple):
    """The links of one stage of an inner stream, for pictures."""

    host: str
    """The stage that runs the stream; its kind if it is itself a part of an inner stream."""
    started_by: tuple[str, ...]
    """The host, of a source; nothing else is begun by it alone."""
    fed_by: tuple[str, ...]
    """The kinds that feed its inlets, as they are called when they have ended."""
    end: int | None
    """Which of its outlets feeds the host; ``None`` if another stage of the stream does."""


class _Stage(Protocol):
    name: str
    kind: str
    inner_links: InnerLinks | None


def inner_links_of(host: _Stage, spec: StageSpec, out: OutletRef) -> InnerLinks:
    """The links of the stage of ``spec`` in the stream of ``host`` that ends with ``out``."""
    feeders = [
        name_when_ended(ref.spec.kind) if ref.spec.handoff is None else ref.spec.handoff.shown_owner
        for ref in spec.inputs
    ]
    started_by = () if feeders else (host.name,)
    end = out.index if out.spec is spec else None
    return _one_for_all(shown_name(host), started_by, tuple(feeders), end)


_one_for_all = lru_cache(maxsize=256)(InnerLinks)
"""A million groups have the same, and each would keep its stream's blueprint to tell them."""


@lru_cache(maxsize=256)
def name_when_ended(kind: str) -> str:
    """What all ended stages of ``kind`` are called together."""
    return f"{kind} (ended)"


def shown_name(stage: _Stage) -> str:
    """A name for ``stage`` of which there are few in a run."""
    return stage.name if stage.inner_links is None else name_when_ended(stage.kind)
