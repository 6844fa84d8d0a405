"""Layouts: the work that is the same for each materialization of a graph, done once.

A graph may be started a thousand times. The names of its stages, their windows and the makers of
their logics do not change, since specs do not. A layout is immutable, except for the windows that
it has computed; threads that ask at the same time compute the same ones.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass

from actors_rs.engine.planner import islands_of
from actors_rs.graph.envelopes import makers_of
from actors_rs.graph.loops import closing_refs, growing, narrowed
from actors_rs.graph.names import unique_names
from actors_rs.graph.reconvergent import reconvergent
from actors_rs.graph.spec import OutletRef, StageSpec
from actors_rs.stages.chunks.window_policy import MOST_ELEMENTS
from actors_rs.stages.failure import STOP, OnFailure
from actors_rs.stages.stage import StageLogic

__all__ = ["Layout", "Planned", "windows_of"]

DEALT_WINDOW = 16
"""The window of a stage fed by one that gives each element to the outlet with demand."""


@dataclass(frozen=True, slots=True)
class Planned:
    """One stage that a materialization makes."""

    spec: StageSpec
    name: str
    make: Callable[[], StageLogic]
    site: str
    dispatcher: str
    on_failure: OnFailure
    inputs: tuple[OutletRef, ...]
    """What feeds its inlets: for the source end of a loop, what feeds the sink end."""
    expensive: bool
    forgiving: bool
    """Whether a failure that arrives after its cancellation is no failure of the run."""


class Layout:
    """The stages of ``specs``, inputs first, ready to be made any number of times.

    With ``all_expensive`` no stage requests elements that downstream has not requested. Raises
    ``GraphError`` for a stage that cannot take the elements of its inputs.
    """

    __slots__ = ("_automatic", "_windows", "has_loops", "islands", "specs", "stages")

    def __init__(self, specs: Sequence[StageSpec], *, all_expensive: bool = False) -> None:
        self.specs = tuple(specs)
        closing = closing_refs(specs)
        self.has_loops = bool(closing)
        self.stages = _planned(self.specs, closing, all_expensive=all_expensive)
        self.islands = [[self.stages[n] for n in places] for places in islands_of(self.stages)]
        """The stages that share an island."""
        self._windows: dict[int, Mapping[StageSpec, int]] = {}
        self._automatic: dict[tuple[bool, bool], Set[StageSpec]] = {}

    def windows(self, default: int) -> Mapping[StageSpec, int]:
        """The window of each stage's inlets, see ``windows_of``."""
        known = self._windows.get(default)
        if known is None:
            known = self._windows[default] = windows_of(self.specs, default)
        return known

    def automatic(self, by_default: bool, *, limited: bool = False) -> Set[StageSpec]:
        """The stages whose windows follow their pace: they say so, or have no number.

        ``limited``: all stages, as their system has a ``memory_limit``; a number is the most.

        Stages keep fixed windows where others go on only if they can hold so many elements. These
        are in some loops, in some branches that meet again, and several queues, of which one may be
        emptied before the other.
        """
        known = self._automatic.get((by_default, limited))
        if known is None:
            wanted = ("auto", None) if by_default else ("auto",)
            found = {s for s in self.specs if limited or s.attributes.window in wanted}
            if by_default and not limited:
                found.difference_update(_given_by_sources(self.specs))
            if found:
                found -= reconvergent(self.specs)
                found -= growing(self.specs)
                queues = [s for s in self.specs if s.kind == "queue" and not s.outlets]
                found.difference_update(queues if len(queues) > 1 else ())
            known = self._automatic[by_default, limited] = found
        return known


def _given_by_sources(specs: Sequence[StageSpec]) -> Set[StageSpec]:
    """The stages without a window of their own whose source has a number, given by the user.

    ``in_flight`` is such a number: as many partitions are computed as the next stage requests.
    """
    given: set[StageSpec] = set()
    flowing: set[StageSpec] = set()  # out of these
    for spec in specs:
        numbered = spec.attributes.window is not None
        inherits = any(ref.spec in flowing for ref in spec.inputs)
        if inherits and not numbered:
            given.add(spec)
        begins = spec.is_source and (numbered or spec.expensive)
        if begins or (inherits and spec.outflow_window is None):
            flowing.add(spec)
    return given


def _planned(
    specs: Sequence[StageSpec],
    closing: Mapping[StageSpec, tuple[OutletRef, ...]],
    *,
    all_expensive: bool,
) -> list[Planned]:
    """The stages to make: none for an outlet that is handed over, one for both ends of a loop."""
    makers = makers_of(specs)
    made = [spec for spec in specs if spec.handoff is None]
    expensive = _expensive_of(specs) if any(spec.expensive for spec in specs) else ()
    forgiving = _forgiving_of(specs, closing) if any(s.forgiving for s in specs) else ()
    return [
        Planned(
            spec,
            name,
            makers[spec],
            spec.site,
            spec.attributes.dispatcher or "pool",
            spec.attributes.on_failure or STOP,
            closing.get(spec, spec.inputs),
            all_expensive or spec in expensive,
            spec in forgiving,
        )
        for spec, name in zip(made, unique_names(spec.label for spec in made), strict=True)
        if spec.loop is None or spec.outlets
    ]


def windows_of(specs: Sequence[StageSpec], default: int) -> dict[StageSpec, int]:
    """The window of each stage's inlets: its own, else the smallest that flows in, else default.

    A stage of heavy elements sets the window downstream, and stages that hand their elements on
    hand the window on too. A slow stage bounds every window except its own. So does a stage that
    gives each element to the outlet with demand: all stages up to the next junction request few
    elements.
    """
    dealt: set[StageSpec] = set()  # stages whose elements are requested in small numbers
    behind: dict[StageSpec, int] = {}
    windows: dict[StageSpec, int] = {}
    for spec in specs:
        flowing = [behind[ref.spec] for ref in spec.inputs if behind.get(ref.spec)]
        inherited = min(flowing, default=0)
        ordinary = inherited or default * spec.window_factor
        on_a_branch = len(spec.inputs) == 1 and spec.inputs[0].spec in dealt
        if spec.deals or (on_a_branch and spec.outlets == 1):
            dealt.add(spec)
        most = min(spec.most_window, DEALT_WINDOW) if on_a_branch else spec.most_window
        own = spec.attributes.window
        if own == "auto":
            ordinary = inherited or MOST_ELEMENTS * spec.window_factor
        windows[spec] = min(ordinary, most) if own is None or own == "auto" else own
        said = spec.window_behind(windows[spec])
        behind[spec] = inherited if said is None else said
    return narrowed(specs, windows)


def _expensive_of(specs: Sequence[StageSpec]) -> set[StageSpec]:
    """The stages that expensive elements reach unchanged, or one for one."""
    expensive: set[StageSpec] = set()
    flowing: set[StageSpec] = set()  # out of these
    for spec in specs:
        if any(ref.spec in flowing for ref in spec.inputs):
            expensive.add(spec)
        if spec.expensive or (spec in expensive and spec.outflow_window is None):
            flowing.add(spec)
    return expensive


def _forgiving_of(
    specs: Sequence[StageSpec], closing: Mapping[StageSpec, tuple[OutletRef, ...]]
) -> set[StageSpec]:
    """The stages that deal with failures, and those whose elements go to such stages only."""
    forgiving: set[StageSpec] = set()
    # Others receive the failures of these.
    failing = {ref.spec for refs in closing.values() for ref in refs}
    for spec in reversed(specs):
        if spec.forgiving or (spec.outlets and spec not in failing):
            forgiving.add(spec)
        else:
            failing.update(ref.spec for ref in spec.inputs)
    return forgiving
