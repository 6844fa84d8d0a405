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

    - ``state`` is ``"running"``, ``"ended"`` or ``"failed"``; ``details`` depend on the kind of
      stage.
    - ``elements_in`` came from upstream and ``elements_out`` went downstream. ``inner_elements``
      came from inner streams that the stage runs, as in ``flat_map``, or went to groups of
      ``group_by``. A stage without upstream, such as ``merge_hub``, counts the elements of its
      streams as ``in``.
    - ``demand`` is the part of downstream's requests that is not served yet, the least of all
      outlets. ``requested`` are the elements that the stage itself waits for.
    - ``buffered`` are the elements it holds, ``buffered_bytes`` is their weight, see
      ``LinkSnapshot``. ``window`` is the most that it requests at a time, ``mailbox`` its unread
      messages.
    - ``busy``, ``idle`` and ``back_pressured`` are parts of 1, of the time since the stage began:
      in functions of the user, without input, and without demand for its elements. After its end it
      is idle. Calls that are under way, as in ``map_async``, are busy with their part of its
      ``parallelism``.
    - ``seconds`` have passed since its first turn, or were between that and the end of the run.
    - ``latency_p50`` and ``latency_p99`` are the seconds that half, and 99 of 100, of its calls
      took at most. Calls of Spark sources are attempts at partitions. Stages without calls count
      turns in which they handled elements. ``None`` before the first.
    - ``total`` is how many elements it will give, if that is known: of a sequence, ``with_total``.
    - ``resumed`` and ``restarted`` are elements that its failure policy passed over, and
      ``dead_letters`` all that it left, those elements included.
    - ``started_by`` names the stages that started it as the source of an inner stream.
    - ``details["unwanted"]`` counts elements that came to inner streams that wanted no more: of a
      stage that runs them, or of all stages of one kind that have ended (``take_while (ended)``).
    - ``details["undelivered"]`` counts elements that the stage had made, or held at its end, when
      downstream wanted no more or the stage failed: they went nowhere.

    >>> with ActorSystem() as system:
    ...     run = system.start(Source.of(2, 3).map(str).to(Sink.list()))
    ...     result, (source, stage, sink) = run.result(), run.snapshot().stages
    >>> stage.name, stage.kind, stage.state, stage.elements_in, stage.elements_out
    ('map', 'map', 'ended', 2, 2)
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

    ``name`` is the run's, ``state`` one of ``"running"``, ``"completed"``, ``"failed"``,
    ``"cancelled"``. ``seconds`` have passed since its start, up to its end once it has ended.
    ``stages`` has a ``StageSnapshot`` for each stage, ``links`` a ``LinkSnapshot`` for each link.

    >>> with ActorSystem() as system:
    ...     run = system.start(Source.of(2, 3).to(Sink.sum()))
    ...     total, snapshot = run.result(), run.snapshot()
    >>> [(stage.name, stage.elements_in) for stage in snapshot.stages]
    [('of', 0), ('sum', 2)]
    >>> snapshot.as_dict()["state"], snapshot.draw().startswith("flowchart")
    ('completed', True)
    >>> snapshot.bottleneck in (None, *snapshot.stages)
    True
    """

    name: str
    state: str
    seconds: float
    stages: tuple[StageSnapshot, ...]
    links: tuple[LinkSnapshot, ...] = ()
    draining: bool = False
    """Whether its sources take no more input, see ``Run.drain``."""
    memory_limit: int | None = None
    """The bytes that all links of its system hold at most, see ``ActorSystem``."""

    def draw(self, format: str = "mermaid") -> str:
        """A picture with the figures; ``format`` is as in ``Graph.draw``."""
        return _picture_of(self).draw(format)

    def as_dict(self) -> dict[str, Any]:
        """Nested dicts and lists, fit for JSON: other values in details are put in words."""
        plain: dict[str, Any] = _plain(asdict(self))
        slowest = self.bottleneck
        return plain | {"bottleneck": None if slowest is None else slowest.name}

    @property
    def bottleneck(self) -> StageSnapshot | None:
        """The stage that limits the rate of the run; ``None`` if the run keeps up with its input.

        All times are those since the start of the run. The bottleneck is the busiest stage, if that
        is busy for most of its time. Without one, it is a stage that upstream and downstream both
        wait for, such as ``throttle``. Without that, it is a stage such as ``flat_map`` whose inner
        streams have a stage at its limit.
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
