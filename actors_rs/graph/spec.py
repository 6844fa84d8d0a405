"""``StageSpec``: one stage to be made, with the outlets that its inlets are fed from.

Specs are compared by identity: the same spec is the same stage, so an outlet that two flows have in
common is one outlet. ``blueprint.py`` walks and checks graphs of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, NamedTuple, Protocol, TypeAlias, TypedDict, Unpack

from actors_rs.errors import InvalidArgumentError
from actors_rs.graph.assembly_site import AssemblySite, assembly_site, site_of
from actors_rs.graph.pickling import check_pickles
from actors_rs.stages.failure import OnFailure
from actors_rs.stages.stage import StageLogic
from actors_rs.texts import repr_of

__all__ = [
    "OPEN",
    "PLAIN",
    "Attributes",
    "EnvelopeRules",
    "Fuse",
    "HandedOutlet",
    "Loop",
    "OutletRef",
    "StageSpec",
    "Traits",
    "Window",
    "altered",
    "handoff_spec",
    "spec_of",
]


class EnvelopeRules(Protocol):
    """How stages treat the envelopes of a source. Compared by identity."""

    def maker_for(self, spec: StageSpec, /) -> Callable[[], StageLogic]:
        """A function that makes the logic of ``spec`` for elements in envelopes.

        Raises ``GraphError`` if stages of this kind cannot keep the promise of the envelopes.
        """
        ...

    def begun(self, spec: StageSpec, sinks: Sequence[StageSpec], /) -> Callable[[], StageLogic]:
        """A function that makes the logic of the source ``spec``, which feeds ``sinks``."""
        ...

    def beside(self, other: EnvelopeRules, /) -> EnvelopeRules | None:
        """The rules where elements of ``other`` are merged with these; ``None`` if impossible."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Loop:
    """The object that the two ends of a ``Feedback`` share; compared by identity."""

    buffer: int


@dataclass(frozen=True, slots=True, eq=False)
class Fuse:
    """One call of ``fuse()``: the stages it covers have it in common. Compared by identity."""

    assembled_at: AssemblySite

    @property
    def site(self) -> str:
        """File and line of the call; empty if that was no line of the user's."""
        return site_of(self.assembled_at)

    def __reduce__(self) -> tuple[Any, ...]:
        return Fuse, (self.site,)  # a code object cannot be pickled


class HandedOutlet(Protocol):
    """An outlet of a running stage, handed to the stream that this spec begins."""

    @property
    def name(self) -> str:
        """What errors call it."""
        ...

    @property
    def shown_owner(self) -> str:
        """The stage that the outlet belongs to, as pictures call it."""
        ...


Window: TypeAlias = int | Literal["auto"] | None
"""Elements that an inlet keeps requested; ``None``: as many as the system says."""


@dataclass(frozen=True, slots=True)
class Attributes:
    """How a stage is run. ``None`` leaves it to the stage, then to the system."""

    window: Window = None
    dispatcher: str | None = None
    on_failure: OnFailure | None = None
    throughput: int | None = None
    weight: Callable[[Any], float] | None = None
    """Bytes of an element that comes to the stage, for an automatic window."""

    @classmethod
    def of_stage(
        cls,
        label: str,
        window: Window,
        dispatcher: str | None,
        throughput: int | None,
        weight: Callable[[Any], float] | None,
    ) -> Attributes:
        """Checked attributes for the stage ``label``.

        Raises ``InvalidArgumentError`` for wrong values.
        """
        for what, value in (("window", window), ("throughput", throughput)):
            automatic = what == "window" and value == "auto"
            if value is not None and not automatic and (type(value) is not int or value < 1):
                raise InvalidArgumentError(
                    f"stage '{label}': {what} must be at least 1, got {repr_of(value)}"
                )
        if dispatcher not in (None, "pool", "pinned"):
            raise InvalidArgumentError(
                f"stage '{label}': dispatcher must be 'pool' or 'pinned', got {repr_of(dispatcher)}"
            )
        return cls(window, dispatcher, None, throughput, weight)

    def over(self, other: Attributes) -> Attributes:
        """These where they say something, else ``other``."""
        return Attributes(
            self.window if self.window is not None else other.window,
            self.dispatcher if self.dispatcher is not None else other.dispatcher,
            self.on_failure if self.on_failure is not None else other.on_failure,
            self.throughput if self.throughput is not None else other.throughput,
            self.weight if self.weight is not None else other.weight,
        )


PLAIN = Attributes()
"""The attributes of a stage without any."""


@dataclass(frozen=True, eq=False)  # no slots: a field that is not given costs nothing, see spec_of
class StageSpec:
    """One stage of a blueprint.

    - ``make`` gives a fresh logic for each materialization.
    - ``outflow_window``: the window of the inlets downstream. A number is for heavy elements, 0 for
      ordinary ones, ``None`` hands on the window of the stage's own inlets. The window that a user
      sets on a source is this one.
    - ``gathers``: each element is a list of at most this many inputs; see ``window_behind``.
    - ``sides``: sinks with an open input, one for each of the last outlets. A flow through this
      stage carries them along, and ``in_order`` connects them.
    - ``handoff``: an outlet of a running stage, whose elements this spec gives; no stage is made.
    - ``fuse``: the call of ``fuse()`` that covers this stage. Neighbours that one call covers share
      an island.
    - ``boundary``: an ``async_boundary()`` follows this stage, so its island ends here.
    - ``envelopes``: how stages treat the envelopes of this source's elements, if it has any.
    - ``loop``: the loop whose source or sink this stage is.
    - ``window_factor``: the inlets keep this many windows of ordinary elements requested, unless
      the window is given; ``most_window`` is the upper limit. A slow stage has a low one, since a
      run that drains processes all elements that were requested.
    - ``expensive``: the elements of this source are expensive, so only elements that the end of the
      chain has room for are requested. Linear stages downstream hand on the demand they receive.
    - ``forgiving``: this stage handles the failure of its upstream. A failure that arrives when the
      stage no longer needs its input does not fail the run.
    - ``deals``: gives each element to one outlet that has demand, so inlets downstream have a small
      window; see ``windows_of``.
    - ``total``: how many elements this source gives, if the user declared it.
    - ``target``: the path or table that a sink writes to, if known.
    - ``holds``: the most elements that it keeps besides its inlets, if its settings limit them.
    - ``inner``: the most inner streams that it runs at a time.
    - ``attempts``: the calls that it makes for an element that fails.
    - ``falls_back``: a function gives an element in place of one whose last call has failed.
    - ``outflow_bytes``: the most bytes of an element that it gives, if known.
    """

    kind: str
    make: Callable[[], StageLogic]
    inputs: tuple[OutletRef, ...] = ()
    outlets: int = 1
    name: str | None = None
    attributes: Attributes = PLAIN
    outflow_window: int | None = None
    assembled_at: AssemblySite = ""
    sides: tuple[StageSpec, ...] = ()
    handoff: HandedOutlet | None = None
    boundary: bool = False
    fuse: Fuse | None = None
    envelopes: EnvelopeRules | None = None
    loop: Loop | None = None
    window_factor: int = 1
    most_window: int = 2**63
    expensive: bool = False
    gathers: int = 0
    forgiving: bool = False
    deals: bool = False
    target: str = ""
    total: int | None = None
    holds: int = 0
    inner: int = 0
    attempts: int = 1
    falls_back: bool = False
    outflow_bytes: int = 0

    def window_behind(self, own: int) -> int | None:
        """The window downstream, given the stage's ``own`` window; a rule like ``outflow_window``.

        Lists of few elements get as many places as their elements fit into ``own``, so that a frame
        of them costs as much as any other. Long lists, and lists of unknown length, get a few
        places.
        """
        if self.gathers and self.outflow_window is not None:
            return max(self.outflow_window, own // self.gathers)
        return self.outflow_window

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        state = dict(self.__dict__, assembled_at=self.site)  # a code object cannot be pickled
        check_pickles(self, {**state, "inputs": ()}, protocol)
        return object.__new__, (StageSpec,), state

    @property
    def logic_class(self) -> Any:
        """The class of its logic where ``make`` says it, being that or a ``partial`` of it.

        Otherwise ``make`` itself: callers read the attributes of a logic's class from it.
        """
        make: Any = self.make
        return make.func if type(make) is partial else make

    @property
    def is_source(self) -> bool:
        """Whether no stage feeds it; the ends of a loop are no sources."""
        return not self.inputs and self.loop is None and self is not OPEN.spec

    @property
    def label(self) -> str:
        """The stage's name, or its kind while it has none."""
        return self.name or (self.kind if self.handoff is None else self.handoff.name)

    @property
    def site(self) -> str:
        """File and line where it was made; empty if that was no line of the user's."""
        return site_of(self.assembled_at)

    @property
    def made(self) -> str:
        """The same for the middle of a message, with a space in front."""
        return f" (made at {self.site})" if self.assembled_at else ""


class Traits(TypedDict, total=False):
    """What few stages say of themselves, see ``StageSpec``."""

    gathers: int
    forgiving: bool
    deals: bool
    target: str
    holds: int
    inner: int
    outflow_bytes: int


class OutletRef(NamedTuple):
    """One outlet of one stage."""

    spec: StageSpec
    index: int = 0  # type: ignore[assignment]  # hides the method of tuple

    def __reduce__(self) -> str | tuple[Any, ...]:
        return "OPEN" if self is OPEN else (OutletRef, tuple(self))  # which is known by identity

    def __repr__(self) -> str:
        return f"<outlet {self.index} of '{self.spec.label}'>"


OPEN = OutletRef(StageSpec("open", make=StageLogic))
"""Stands for the input of a flow that has no source yet."""


def altered(spec: StageSpec, **changes: Any) -> StageSpec:
    """A copy of ``spec`` with ``changes``: what ``dataclasses.replace`` does, for a tenth of it."""
    copy = object.__new__(StageSpec)
    copy.__dict__.update(spec.__dict__, **changes)
    return copy


_OURS = 2
"""Frames up to the caller of ``spec_of``, the first that may be the user's code."""


def spec_of(
    kind: str,
    make: Callable[[], Any],
    *inputs: OutletRef,
    outlets: int = 1,
    name: str | None = None,
    attributes: Attributes | None = None,
    outflow_window: int | None = None,
    sides: tuple[StageSpec, ...] = (),
    loop: Loop | None = None,
    **traits: Unpack[Traits],
) -> StageSpec:
    """A new spec, made at the caller's line outside this package.

    Streams of streams make two or three of them for each element, so what is not said here is left
    to the class, and nothing is assigned that the class says already.
    """
    spec = object.__new__(StageSpec)
    own = spec.__dict__
    own["kind"], own["make"], own["inputs"] = kind, make, inputs
    own["outflow_window"], own["assembled_at"] = outflow_window, assembly_site(_OURS)
    if traits:
        own.update(traits)
    if outlets != 1 or name is not None or attributes is not None or sides or loop is not None:
        attributes = attributes or PLAIN
        own.update(outlets=outlets, name=name, attributes=attributes, sides=sides, loop=loop)
    return spec


def handoff_spec(assembled_at: AssemblySite, handoff: HandedOutlet) -> StageSpec:
    """Stands for the stage whose outlet ``handoff`` is; made as ``spec_of`` does, once a group."""
    spec = object.__new__(StageSpec)
    spec.__dict__.update(
        kind="outlet",
        make=StageLogic,
        outflow_window=0,
        assembled_at=assembled_at,
        handoff=handoff,
    )
    return spec
