"""Finds the stage that limits the rate of a run, from one snapshot: a pure function.

A stage whose share of busy time is highest limits a run, as the busiest machine limits a
production line. A stage may also limit a run without being busy: ``throttle`` lets elements wait on
purpose, ``flat_map`` waits for its inner streams. Such a stage has elements waiting at all its
inlets, while demand waits downstream. A stage that runs inner streams stands for them: it limits a
run if a stage in its inner streams does so there, and no input is missing. Where none of these is
true, the run keeps up with its input.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Protocol, TypeVar

__all__ = ["AT_LIMIT", "bottleneck_of", "inner_stages"]

AT_LIMIT = 0.5
"""The share of its time from which on a stage is busy, or held back, for most of it."""
NEARLY = 0.9
"""Of stages whose busy share is so near to the highest one, the last that elements wait for counts:
the window between two busy stages fills up when the second one is slower.
"""


class Stage(Protocol):
    """The fields of a ``StageSnapshot`` that are read here."""

    @property
    def name(self) -> str: ...
    @property
    def busy(self) -> float: ...
    @property
    def buffered(self) -> int: ...
    @property
    def back_pressured(self) -> float: ...
    @property
    def state(self) -> str: ...
    @property
    def started_by(self) -> tuple[str, ...]: ...


class Link(Protocol):
    """The fields of a ``LinkSnapshot`` that are read here."""

    @property
    def upstream(self) -> str: ...
    @property
    def downstream(self) -> str: ...
    @property
    def inlet(self) -> str: ...


S = TypeVar("S", bound=Stage)


def bottleneck_of(stages: Sequence[S], links: Sequence[Link]) -> S | None:
    """The stage that limits the rate of a run with ``stages`` and ``links``; ``None`` if none does.

    Inner streams come and go: the stage that started them stands for them.
    """
    inner = inner_stages(stages, links)
    outer = [stage for stage in stages if stage.name not in inner]
    limiting = _at_limit(outer, links)
    if limiting is not None or not inner:
        return limiting
    feeders, upstream = _feeders(outer, links), _upstream_in(inner, links)
    for host in outer:
        if host.name not in upstream or not _has_input(host, feeders[host.name]):
            continue
        names = _reached(upstream[host.name], upstream)
        if _at_limit([stage for stage in stages if stage.name in names], links) is not None:
            return host
    return None


def _at_limit(stages: Sequence[S], links: Sequence[Link]) -> S | None:
    """The busiest of ``stages``, or one for which the others wait; ``None`` if there is none."""
    feeders = _feeders(stages, links)
    busiest = max((stage.busy for stage in stages), default=0.0)
    if busiest >= AT_LIMIT:
        near = [stage for stage in stages if stage.busy >= NEARLY * busiest]
        late = [stage for stage in near if stage.buffered]
        return late[-1] if late else max(near, key=lambda stage: stage.busy)
    waits = [one for one in stages if _holds_up(one, feeders[one.name])]
    return max(waits, key=lambda stage: stage.busy, default=None)


def _has_input(host: Stage, feeders: Sequence[Stage]) -> bool:
    """Whether ``host`` has elements for further inner streams, or has received all its input."""
    if host.back_pressured > AT_LIMIT:
        return False
    return host.buffered > 0 or all(feeder.state != "running" for feeder in feeders)


def _holds_up(stage: Stage, feeders: Sequence[Stage]) -> bool:
    """Whether every stage upstream waits for demand of ``stage``, which has demand itself.

    A junction that waits for one of its inlets, such as ``zip``, does not hold up the others.
    """
    if not feeders or stage.back_pressured > AT_LIMIT:
        return False
    return all(feeder.back_pressured > AT_LIMIT for feeder in feeders)


def _feeders(stages: Sequence[S], links: Sequence[Link]) -> dict[str, list[S]]:
    """The stages directly upstream of each of ``stages``, by name."""
    by_name = {stage.name: stage for stage in stages}
    feeders: dict[str, list[S]] = {name: [] for name in by_name}
    for link in links:
        if link.upstream in by_name and link.downstream in by_name:
            feeders[link.downstream].append(by_name[link.upstream])
    return feeders


def inner_stages(stages: Sequence[Stage], links: Sequence[Link]) -> set[str]:
    """The names of stages in inner streams: from their sources up to the stages that run them."""
    downstream: dict[str, list[str]] = {}
    for link in links:
        if not _ends_inner_stream(link):
            downstream.setdefault(link.upstream, []).append(link.downstream)
    return _reached((stage.name for stage in stages if stage.started_by), downstream)


def _upstream_in(inner: Container[str], links: Sequence[Link]) -> dict[str, list[str]]:
    """The stages ``inner`` directly upstream of one of them, or of a stage that runs them."""
    upstream: dict[str, list[str]] = {}
    for link in links:
        if link.upstream in inner and (link.downstream in inner or _ends_inner_stream(link)):
            upstream.setdefault(link.downstream, []).append(link.upstream)
    return upstream


def _reached(begin: Iterable[str], ways: Mapping[str, Iterable[str]]) -> set[str]:
    found: set[str] = set()
    due = list(begin)
    while due:
        if (name := due.pop()) not in found:
            found.add(name)
            due += ways.get(name, ())
    return found


def _ends_inner_stream(link: Link) -> bool:
    return link.inlet.partition(" ")[0] == "inner"
