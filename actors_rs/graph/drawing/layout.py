"""Where the stages of a run stand in its drawing. Pure: the same stages give the same places.

Stages stand in columns from left to right, each after all stages that feed it. The stages of an
inner stream stand below the stage that started the stream, inside its frame. Islands of several
stages have a frame too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

__all__ = ["BOX", "Frame", "Layout", "hosts_of", "layout"]

BOX = (176, 66)
"""Width and height of a stage."""
GAP = (64, 30)
"""Between two columns, and between two stages of one column."""
MARGIN = 24
INNER = 26
"""Height of an inner stage, which is one line."""
MOST_INNER = 6
"""Inner stages that are drawn below their host; the others are counted."""

Links = Sequence[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Frame:
    """A rectangle around the members of an island, or around a host and its inner streams."""

    x: float
    y: float
    width: float
    height: float
    kind: str
    """``"island"`` or ``"host"``."""
    hidden: int = 0
    """How many inner stages are not drawn."""


@dataclass(frozen=True, slots=True)
class Layout:
    """The upper left corner of each stage, ``None`` for one that is not drawn, and the frames."""

    places: tuple[tuple[float, float] | None, ...]
    inner: tuple[bool, ...]
    frames: tuple[Frame, ...]
    width: float
    height: float


def layout(
    count: int,
    links: Links,
    hosts: Mapping[int, int] | None = None,
    islands: Iterable[Sequence[int]] = (),
) -> Layout:
    """Places for ``count`` stages, which are known by number, and ``links`` between them.

    ``hosts`` maps a stage of an inner stream to the stage that hosts the stream. A link from a
    later stage to an earlier one closes a loop, and moves no stage.
    """
    hosts = hosts or {}
    outer = [number for number in range(count) if number not in hosts]
    forward = [(a, b) for a, b in links if a < b and a not in hosts and b not in hosts]
    columns = _columns(outer, forward)
    drawn = _drawn_inner(outer, hosts)
    heights = {n: BOX[1] + len(drawn[n]) * (INNER + 6) + (10 if drawn[n] else 0) for n in outer}
    places: list[tuple[float, float] | None] = [None] * count
    tallest = max((_height(column, heights) for column in columns), default=0.0)
    for number, column in enumerate(columns):
        y = MARGIN + (tallest - _height(column, heights)) / 2
        for stage in column:
            places[stage] = (MARGIN + number * (BOX[0] + GAP[0]), y)
            _place_inner(places, stage, drawn[stage])
            y += heights[stage] + GAP[1]
    frames = [*_island_frames(places, hosts, islands), *_host_frames(places, drawn, heights, hosts)]
    width = 2 * MARGIN + len(columns) * (BOX[0] + GAP[0]) - (GAP[0] if columns else 0)
    inner = tuple(number in hosts for number in range(count))
    return Layout(tuple(places), inner, tuple(frames), width, 2 * MARGIN + tallest)


def hosts_of(links: Links, started_by: Mapping[int, Sequence[int]]) -> dict[int, int]:
    """The host of each stage of an inner stream.

    ``started_by`` maps the first stage of an inner stream to the stages that started it. All
    stages that elements pass between the first stage and the host belong to the stream.
    """
    fed: dict[int, list[int]] = {}
    for begin, end in links:
        fed.setdefault(begin, []).append(end)
    hosts: dict[int, int] = {}
    for first, starters in started_by.items():
        host = starters[0]
        waiting = [first]
        while waiting:
            stage = waiting.pop()
            if stage != host and stage not in hosts:
                hosts[stage] = host
                waiting += fed.get(stage, [])
    return {stage: _outermost(stage, hosts) for stage in hosts}


def _outermost(stage: int, hosts: Mapping[int, int]) -> int:
    seen = {stage}
    while stage in hosts and hosts[stage] not in seen:
        stage = hosts[stage]
        seen.add(stage)
    return stage


def _columns(outer: Sequence[int], forward: Links) -> list[list[int]]:
    """The stages by column; within a column near the stages that feed them."""
    into: dict[int, list[int]] = {number: [] for number in outer}
    for begin, end in forward:
        into[end].append(begin)
    rank: dict[int, int] = {}
    for number in outer:  # each after the stages that feed it
        rank[number] = max((rank[feeder] + 1 for feeder in into[number]), default=0)
    columns: list[list[int]] = [[] for _ in range(max(rank.values(), default=-1) + 1)]
    order: dict[int, float] = {}
    for number in sorted(outer, key=lambda one: (rank[one], one)):
        columns[rank[number]].append(number)
    for column in columns:
        keys = {n: _middle([order[f] for f in into[n]], at) for at, n in enumerate(column)}
        column.sort(key=lambda number: (keys[number], number))
        order |= {number: at - (len(column) - 1) / 2 for at, number in enumerate(column)}
    return columns


def _middle(orders: Sequence[float], otherwise: float) -> float:
    return sum(orders) / len(orders) if orders else otherwise


def _height(column: Sequence[int], heights: Mapping[int, float]) -> float:
    return sum(heights[stage] + GAP[1] for stage in column) - GAP[1]


def _drawn_inner(outer: Sequence[int], hosts: Mapping[int, int]) -> dict[int, list[int]]:
    inner: dict[int, list[int]] = {number: [] for number in outer}
    for stage, host in sorted(hosts.items()):
        if len(inner.get(host, range(MOST_INNER))) < MOST_INNER:
            inner[host].append(stage)
    return inner


def _place_inner(places: list[tuple[float, float] | None], host: int, inner: Sequence[int]) -> None:
    corner = places[host]
    assert corner is not None
    for at, stage in enumerate(inner):
        places[stage] = (corner[0] + 10, corner[1] + BOX[1] + 10 + at * (INNER + 6))


def _island_frames(
    places: Sequence[tuple[float, float] | None],
    hosts: Mapping[int, int],
    islands: Iterable[Sequence[int]],
) -> list[Frame]:
    frames = []
    for members in islands:
        corners = [c for n in members if n not in hosts and (c := places[n]) is not None]
        if len(corners) > 1:
            left, top = min(x for x, _ in corners) - 10, min(y for _, y in corners) - 12
            right = max(x for x, _ in corners) + BOX[0] + 10
            bottom = max(y for _, y in corners) + BOX[1] + 12
            frames.append(Frame(left, top, right - left, bottom - top, "island"))
    return frames


def _host_frames(
    places: Sequence[tuple[float, float] | None],
    drawn: Mapping[int, Sequence[int]],
    heights: Mapping[int, float],
    hosts: Mapping[int, int],
) -> list[Frame]:
    totals: dict[int, int] = {}
    for host in hosts.values():
        totals[host] = totals.get(host, 0) + 1
    frames = []
    for host, inner in drawn.items():
        if inner and (corner := places[host]) is not None:
            hidden = totals[host] - len(inner)
            x, y = corner[0] - 6, corner[1] - 6
            frames.append(Frame(x, y, BOX[0] + 12, heights[host] + 12, "host", hidden))
    return frames
