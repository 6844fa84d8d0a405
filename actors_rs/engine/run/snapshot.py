"""A run at one moment: plain, frozen data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from actors_rs.engine.run.bottleneck import bottleneck_of
from actors_rs.graph.drawing.boxes import Arrow, Box
from actors_rs.graph.drawing.picture import Picture
from actors_rs.texts import repr_of_fields, text_of

if TYPE_CHECKING:
    pass

__all__ = ["LinkSnapshot", "RunSnapshot", "StageSnapshot"]


@dataclass(frozen=True, slots=True)
class StageSnapshot:
    """One stage at one moment. ``name`` and ``kind`` say which; times are in seconds.

    - ``demand``: elements that downstream requested and did not get yet (the least of all outlets).
    - ``requested``: elements that the stage itself waits for. ``buffered``: elements that it holds;
      ``buffered_bytes`` is their weight, see ``LinkSnapshot``, with the batches or rows that a
      Spark source has and did not emit. ``mailbox``: its unread messages.
    - ``busy``, ``idle`` and ``back_pressured``: parts of 1, of the time since the stage began: in
      functions of the user, without input, and without demand for its elements. After its end the
      stage is idle. Calls under way, as in ``map_async``, are busy with their part of its
      ``parallelism``.
    - ``state``: ``"running"``, ``"ended"`` or ``"failed"``.
    - ``elements_in`` came from upstream and ``elements_out`` went downstream. ``inner_elements``
      came from inner streams that the stage runs, as in ``flat_map``, or went to groups of
      ``group_by``. A stage without upstream, such as ``merge_hub``, counts the elements of its
      streams as ``in``.
    - ``started_by``: the stages that started it as the source of an inner stream.
    - ``details`` depend on the kind of stage. ``details["unwanted"]`` counts elements that came to
      inner streams that needed no more: of a stage that runs them, or of all ended stages of one
      kind (``take_while (ended)``). ``details["undelivered"]`` counts elements that the stage had
      made, or held at its end, when downstream needed no more or the stage failed.
    - ``total``: the elements that it will give, if known: of a sequence, or ``with_total``.
    - ``seconds`` since its first turn; after the end of the run, the seconds up to that end.
    - ``latency_p50`` and ``latency_p99``: seconds that half, and 99 of 100, of its calls took at
      most. Calls of Spark sources are attempts at partitions. Stages without calls count turns in
      which they handled elements. ``None`` before the first.
    - ``resumed`` and ``restarted``: elements that its failure policy passed over. ``dead_letters``:
      all dead letters of the stage, these elements included.
    """

    name: str
    kind: str
    state: str
    elements_in: int
    elements_out: int
    demand: int
    requested: int
    buffered: int
    window: int
    mailbox: int
    busy: float
    idle: float
    back_pressured: float
    details: Mapping[str, Any] = field(default_factory=dict)
    resumed: int = 0
    restarted: int = 0
    dead_letters: int = 0
    inner_elements: int = 0
    started_by: tuple[str, ...] = ()
    seconds: float = 0.0
    total: int | None = None
    latency_p50: float | None = None
    latency_p99: float | None = None
    buffered_bytes: int = 0

    __repr__ = repr_of_fields


@dataclass(frozen=True, slots=True)
class LinkSnapshot:
    """One link between two stages at one moment, by the names of the stages and of its ends.

    ``elements`` were taken from it, ``buffered`` have arrived and ``requested`` are asked for.
    ``dropped`` arrived when downstream needed no more. Once both stages have ended, each element
    that upstream sent was taken or dropped. ``window`` is the most that is requested at a time.
    ``closed`` means that nothing will be taken any more. ``buffered_bytes`` is the weight of
    ``buffered``, by the last element that was weighed. It is 0 for windows that are a number,
    unless the system has a ``memory_limit``.
    """

    upstream: str
    outlet: str
    downstream: str
    inlet: str
    elements: int
    requested: int
    buffered: int
    dropped: int = 0
    window: int = 0
    closed: bool = False
    buffered_bytes: int = 0


@dataclass(frozen=True, slots=True)
class RunSnapshot:
    """A run at one moment, as plain data.

    ``name`` is the name of the run and ``state`` its state, such as ``"running"`` or
    ``"completed"``. ``seconds`` have passed since its start, up to its end once it has ended.
    ``stages`` and ``links`` are its parts.
    """

    name: str
    state: str
    seconds: float
    stages: tuple[StageSnapshot, ...]
    links: tuple[LinkSnapshot, ...] = ()
    draining: bool = False
    """Whether its sources take no more input, see ``Run.drain``."""

    def draw(self, format: str = "mermaid") -> str:
        """A picture with the figures, in ``format``; see ``Graph.draw``."""
        return _picture_of(self).draw(format)

    def as_dict(self) -> dict[str, Any]:
        """Nested dicts and lists, fit for JSON: other values in details are put in words."""
        plain: dict[str, Any] = _plain(asdict(self))
        slowest = self.bottleneck
        return plain | {"bottleneck": None if slowest is None else slowest.name}

    @property
    def bottleneck(self) -> StageSnapshot | None:
        """The stage that limits the rate of the run; ``None`` if the run keeps up with its input.

        That is the busiest stage, if it is busy for most of its time; else a stage for which all
        stages upstream wait while downstream waits for it, such as ``throttle`` or ``flat_map``.
        It covers the time since the start of the run.
        """
        return bottleneck_of(self.stages, self.links)


def _picture_of(snapshot: RunSnapshot) -> Picture:
    """A run at one moment: what went through each stage and each link, and what waits."""
    places = {stage.name: place for place, stage in enumerate(snapshot.stages)}
    boxes = [Box(stage.name, _figures(stage), stage.state) for stage in snapshot.stages]
    arrows = []
    for link in snapshot.links:
        if link.upstream in places and link.downstream in places:
            outlet = "" if link.outlet == "out" else link.outlet
            begin, end = places[link.upstream], places[link.downstream]
            asked = link.requested if snapshot.stages[end].state == "running" else 0
            note = f"{link.elements:,}" + (f" +{asked:,} asked" if asked else "")
            arrows.append(Arrow(begin, end, outlet, note))
    arrows += [
        Arrow(places[host], place, note="starts", starts=True)
        for place, stage in enumerate(snapshot.stages)
        for host in stage.started_by
        if host in places
    ]
    return Picture(boxes, arrows)


def _figures(stage: StageSnapshot) -> tuple[str, ...]:
    inner = f"{stage.inner_elements:,} in inner streams, " if stage.inner_elements else ""
    figures = [f"in {stage.elements_in:,}, {inner}out {stage.elements_out:,}"]
    if stage.buffered:
        figures.append(f"holds {stage.buffered:,} of {stage.window:,}")
    if stage.state != "running":
        figures.append(stage.state)
    elif stage.busy or stage.back_pressured:
        figures.append(f"busy {stage.busy:.0%}, held back {stage.back_pressured:.0%}")
    figures += [f"{name} {value}" for name, value in stage.details.items() if value]
    return tuple(figures)


def _plain(value: Any) -> Any:
    """``value`` of what JSON knows."""
    if isinstance(value, Mapping):
        return {text_of(key): _plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(part) for part in value]
    return value if value is None or isinstance(value, str | int | float) else text_of(value)
