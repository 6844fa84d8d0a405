"""``StageSpec``: one stage to be made, with the outlets that its inlets are fed from.

Specs are compared by identity: the same spec is the same stage, so an outlet that two flows have in
common is one outlet. ``blueprint.py`` walks and checks graphs of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, NamedTuple, Protocol, TypedDict, Unpack

from actors_rs.errors import InvalidArgumentError
from actors_rs.graph.assembly_site import Place, assembly_place, site_of
from actors_rs.graph.pickling import check_pickles
from actors_rs.stages.failure import OnFailure
from actors_rs.stages.stage import StageLogic
from actors_rs.texts import repr_of

__all__ = [
    "OPEN",
    "PLAIN",
    "Attributes",
    "Carrier",
    "Fuse",
    "LentOutlet",
    "Loop",
    "OutletRef",
    "StageSpec",
    "Traits",
    "altered",
    "lent_spec",
    "spec_of",
]


class Carrier(Protocol):
    """The envelopes of a source: how stages treat them. Compared by identity."""

    def carried(self, spec: StageSpec, /) -> Callable[[], StageLogic]:
        """The maker of the logic of ``spec``, which takes envelopes. ``GraphError``: it cannot."""
        ...

    def begun(self, spec: StageSpec, sinks: Sequence[StageSpec], /) -> Callable[[], StageLogic]:
        """The maker of the logic of ``spec``, the source, whose elements reach ``sinks``."""
        ...

    def beside(self, other: Carrier, /) -> Carrier | None:
        """The carrier where elements of ``other`` join these; ``None``: they cannot join."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Loop:
    """The object that the two ends of a ``Feedback`` share; compared by identity."""

    buffer: int


@dataclass(frozen=True, slots=True, eq=False)
class Fuse:
    """One call of ``fuse()``: the stages it covers have it in common. Compared by identity."""

    place: Place

    @property
    def site(self) -> str:
        """File and line of the call; empty if that was no line of the user's."""
        return site_of(self.place)

    def __reduce__(self) -> tuple[Any, ...]:
        return Fuse, (self.site,)  # a code object cannot be pickled


class LentOutlet(Protocol):
    """An outlet of a running stage, handed to the stream that this spec begins."""

    @property
    def name(self) -> str:
        """What errors call it."""
        ...

    @property
    def shown_owner(self) -> str:
        """The stage that the outlet belongs to, as pictures call it."""
        ...


@dataclass(frozen=True, slots=True)
class Attributes:
    """How a stage is run. ``None`` leaves it to the stage, then to the system."""

    window: int | Literal["auto"] | None = None
    dispatcher: str | None = None
    on_failure: OnFailure | None = None
    throughput: int | None = None
    weight: Callable[[Any], float] | None = None
    """Bytes of an element that comes to the stage, for an automatic window."""

    @classmethod
    def of_stage(
        cls,
        label: str,
        window: int | Literal["auto"] | None,
        dispatcher: str | None,
        throughput: int | None,
        weight: Callable[[Any], float] | None,
    ) -> Attributes:
        """Checked attributes for the stage ``label``; raises ``InvalidArgumentError``."""
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
    """One stage of a blueprint. ``make`` gives a fresh logic for each materialization.

    ``outflow_window`` is the window for the inlets behind this stage: a number for elements that
    are heavy, 0 for ordinary ones, ``None`` to hand on what flows in. ``gathers``: each of them is
    a list of up to so many of those that came, see ``window_behind``. ``sides`` are sinks with an
    open input, one for each of the last outlets: a flow through this stage carries them along, and
    ``in_order`` connects them. ``lent`` is an outlet of a running stage: where it is given, no
    stage is made, and the elements come from there. ``fuse``: the call of ``fuse()`` that covers
    it; neighbours that one call covers share an island, but not across a ``boundary``, which is an
    ``async_boundary()`` after this stage. ``carrier``: what the
    elements of this source carry, if anything. ``loop``: the loop that this is an end of, its
    source or its sink. ``window_factor``: how many windows of ordinary elements the inlets keep
    requested, unless the window is given. ``most_window``: the most they do then, as the stage
    takes long over an element, and what was asked for is to be gone through when the run drains.
    ``frugal``: the elements of this source are so dear that none is to be asked for which the end
    of the chain has no place for; linear stages behind it hand on the demand they get.
    ``forgiving``: it deals with the failure of the stream before it, so one that comes when nobody
    wants it any more, which it is not told of, is no failure of the run either. ``deals``: it gives
    each element to an outlet that asks, so what asks for it has a small window, see ``windows_of``.
    ``total``: how many elements it gives, if the user has said so.
    ``target``: where a sink writes to, its path or the name of its table, if anybody can tell.
    ``holds``: the most elements that it keeps beside its inlets, if its settings say so.
    ``inner``: the most inner streams that it runs at a time. ``attempts``: calls it makes for an
    element that fails. ``outflow_bytes``: the most bytes of an element that it gives, if known.
    """

    kind: str
    make: Callable[[], StageLogic]
    inputs: tuple[OutletRef, ...] = ()
    outlets: int = 1
    name: str | None = None
    attributes: Attributes = PLAIN
    outflow_window: int | None = None
    place: Place = ""
    sides: tuple[StageSpec, ...] = ()
    lent: LentOutlet | None = None
    boundary: bool = False
    fuse: Fuse | None = None
    carrier: Carrier | None = None
    loop: Loop | None = None
    window_factor: int = 1
    most_window: int = 2**63
    frugal: bool = False
    gathers: int = 0
    forgiving: bool = False
    deals: bool = False
    target: str = ""
    total: int | None = None
    holds: int = 0
    inner: int = 0
    attempts: int = 1
    outflow_bytes: int = 0

    def window_behind(self, own: int) -> int | None:
        """Its rule for the window downstream, given its own window ``own``; as ``outflow_window``.

        Lists of few elements are as many as its own window has elements for, so that a frame of
        them costs what any other costs; of long ones, or of an unknown length, it is a few.
        """
        if self.gathers and self.outflow_window is not None:
            return max(self.outflow_window, own // self.gathers)
        return self.outflow_window

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        state = dict(self.__dict__, place=self.site)  # a code object cannot be pickled
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
    def label(self) -> str:
        """The stage's name, or its kind while it has none."""
        return self.name or (self.kind if self.lent is None else self.lent.name)

    @property
    def site(self) -> str:
        """File and line where it was made; empty if that was no line of the user's."""
        return site_of(self.place)

    @property
    def made(self) -> str:
        """The same for the middle of a message, with a space in front."""
        return f" (made at {self.site})" if self.place else ""


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
    own["outflow_window"], own["place"] = outflow_window, assembly_place(_OURS)
    if traits:
        own.update(traits)
    if outlets != 1 or name is not None or attributes is not None or sides or loop is not None:
        attributes = attributes or PLAIN
        own.update(outlets=outlets, name=name, attributes=attributes, sides=sides, loop=loop)
    return spec


def lent_spec(place: Place, lent: LentOutlet) -> StageSpec:
    """Stands for the stage whose outlet ``lent`` is; made as ``spec_of`` does, once a group."""
    spec = object.__new__(StageSpec)
    spec.__dict__.update(kind="outlet", make=StageLogic, outflow_window=0, place=place, lent=lent)
    return spec
