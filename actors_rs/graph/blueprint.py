"""Blueprints: graphs as immutable values, before anything runs.

A ``StageSpec`` is one stage to be made, with the outlets its inlets are fed from. Specs are
compared by identity: the same spec is the same stage, so an outlet that two flows have in common
is one outlet, and using it twice in one graph can be found out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict, Unpack

from actors_rs.errors import GraphError, InvalidArgumentError
from actors_rs.graph.carried import check_plain
from actors_rs.graph.loops import check_loops
from actors_rs.graph.pickling import check_pickles
from actors_rs.graph.places import Place, assembly_place, at_site, site_of
from actors_rs.stages.failure import OnFailure
from actors_rs.stages.stage import StageLogic
from actors_rs.texts import repr_of

if TYPE_CHECKING:
    from actors_rs.graph.carried import Carrier
    from actors_rs.graph.lent import Lent
    from actors_rs.graph.loops import Loop

__all__ = [
    "OPEN",
    "Attributes",
    "OutletRef",
    "StageSpec",
    "Traits",
    "graft",
    "in_order",
    "to_pickle",
    "walked",
]


@dataclass(frozen=True, slots=True)
class Attributes:
    """How a stage is run. ``None`` leaves it to the stage, then to the system."""

    window: int | None = None
    dispatcher: str | None = None
    on_failure: OnFailure | None = None
    throughput: int | None = None

    @classmethod
    def of_stage(
        cls, label: str, window: int | None, dispatcher: str | None, throughput: int | None
    ) -> Attributes:
        """Checked attributes for the stage ``label``; raises ``InvalidArgumentError``."""
        for what, value in (("window", window), ("throughput", throughput)):
            if value is not None and (type(value) is not int or value < 1):
                raise InvalidArgumentError(
                    f"stage '{label}': {what} must be at least 1, got {repr_of(value)}"
                )
        if dispatcher not in (None, "pool", "pinned"):
            raise InvalidArgumentError(
                f"stage '{label}': dispatcher must be 'pool' or 'pinned', got {repr_of(dispatcher)}"
            )
        return cls(window, dispatcher, None, throughput)

    def over(self, other: Attributes) -> Attributes:
        """These where they say something, else ``other``."""
        return Attributes(
            self.window if self.window is not None else other.window,
            self.dispatcher if self.dispatcher is not None else other.dispatcher,
            self.on_failure if self.on_failure is not None else other.on_failure,
            self.throughput if self.throughput is not None else other.throughput,
        )


PLAIN = Attributes()
"""Those of a stage that was given none."""


@dataclass(frozen=True, eq=False)  # no slots: what is not given costs nothing, see spec_of
class StageSpec:
    """One stage of a blueprint. ``make`` gives a fresh logic for each materialization.

    ``outflow_window`` is the window for the inlets behind this stage: a number for elements that
    are heavy, 0 for ordinary ones, ``None`` to hand on what flows in. ``gathers``: each of them is
    a list of up to so many of those that came, see ``window_behind``. ``sides`` are sinks with an
    open input, one for each of the last outlets: a flow through this stage carries them along, and
    ``in_order`` connects them. ``lent`` is an outlet of a running stage: where it is given, no
    stage is made, and the elements come from there. ``fusable`` stages are linear operators, or
    sinks that never wait, and can be one actor with their neighbours, but not across a ``boundary``
    behind one; ``fused`` ones are, and with the host if they are an inner stream. ``in_line``: as a
    part of a ``Line`` it can be one too, though it is no linear operator. ``carrier``: what the
    elements of this source carry, if anything. ``loop``: the loop that this is an end of, its
    source or its sink. ``window_factor``: how many windows of ordinary elements the inlets keep
    requested, unless the window is given. ``most_window``: the most they do then, as the stage
    takes long over an element, and what was asked for is to be gone through when the run drains.
    ``frugal``: the elements of this source are so dear that none is to be asked for which the end
    of the chain has no place for; linear stages behind it hand on the demand they get.
    ``forgiving``: it deals with the failure of the stream before it, so one that comes when nobody
    wants it any more, which it is not told of, is no failure of the run either. ``deals``: it gives
    each element to an outlet that asks, so what asks for it has a small window, see ``windows_of``.
    ``target``: where a sink writes to, its path or the name of its table, if anybody can tell.
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
    lent: Lent | None = None
    fusable: bool = False
    in_line: bool = False
    boundary: bool = False
    fused: bool = False
    carrier: Carrier | None = None
    loop: Loop | None = None
    window_factor: int = 1
    most_window: int = 2**63
    frugal: bool = False
    gathers: int = 0
    forgiving: bool = False
    deals: bool = False
    target: str = ""

    def window_behind(self, own: int) -> int | None:
        """What it says of the window behind it, whose own window is ``own``; as ``outflow_window``.

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

        Else ``make``, which may give anything: so ask whether it has what a class would say.
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

    fusable: bool
    in_line: bool
    gathers: int
    forgiving: bool
    deals: bool
    target: str


class OutletRef(NamedTuple):
    """One outlet of one stage."""

    spec: StageSpec
    index: int = 0  # type: ignore[assignment]  # nobody wants the method of a tuple

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


def in_order(ends: Iterable[StageSpec]) -> list[StageSpec]:
    """All specs that ``ends`` depend on and themselves, each behind its inputs.

    With them the side sinks, fed from their stages; these are copies, new ones in each call.
    """
    return walked(ends, with_sides=True)


def to_pickle(ends: Iterable[StageSpec]) -> tuple[StageSpec, ...]:
    """All specs of a blueprint, each after its inputs: so no pickler has to go as deep as it is."""
    return tuple(walked(ends))


def walked(ends: Iterable[StageSpec], *, with_sides: bool = False) -> list[StageSpec]:
    """As ``in_order``, by default without the side sinks: those that exist, and no copies."""
    ordered: dict[StageSpec, None] = {}
    stack = [(spec, False) for spec in reversed(list(ends))]
    while stack:
        spec, inputs_done = stack.pop()
        if spec in ordered or spec is OPEN.spec:
            continue
        if inputs_done:
            ordered[spec] = None
            if with_sides:
                stack.extend((side, False) for side in _fed_sides(spec))
        else:
            stack.append((spec, True))
            stack.extend((ref.spec, False) for ref in reversed(spec.inputs))
    return list(ordered)


def _fed_sides(spec: StageSpec) -> list[StageSpec]:
    first = spec.outlets - len(spec.sides)
    return [graft(side, OutletRef(spec, first + i)) for i, side in enumerate(spec.sides)]


def graft(end: StageSpec, source: OutletRef) -> StageSpec:
    """``end`` and what it depends on, with ``source`` in place of the open input."""
    copies: dict[StageSpec, StageSpec] = {}
    for spec in walked([end]):
        inputs = tuple(
            source if ref is OPEN else OutletRef(copies.get(ref.spec, ref.spec), ref.index)
            for ref in spec.inputs
        )
        changed = any(a is not b and a != b for a, b in zip(inputs, spec.inputs, strict=True))
        copies[spec] = replace(spec, inputs=inputs) if changed else spec
    return copies[end]


def open_inputs(specs: Iterable[StageSpec]) -> list[StageSpec]:
    """The stages whose input is open, once for each such inlet."""
    return [spec for spec in specs for ref in spec.inputs if ref is OPEN]


def check_fed(specs: Sequence[StageSpec]) -> None:
    """Raise ``GraphError`` if an input is open."""
    for spec in open_inputs(specs):
        raise GraphError(
            f"stage '{spec.label}' has no source{spec.made}: "
            "start from a Source, or put one in front with pipe(source, flow)"
        )


def check_closed(specs: Sequence[StageSpec]) -> None:
    """Raise ``GraphError`` unless every outlet feeds exactly one inlet and no input is open."""
    check_fed(specs)
    fed = check_used_once(specs)
    for spec in specs:
        for index in range(spec.outlets):
            if OutletRef(spec, index) not in fed:
                raise GraphError(
                    f"outlet {index} of stage '{spec.label}' feeds nothing{spec.made}: "
                    "add it to the graph, with Sink.ignore() if it is not needed"
                )
    check_loops(specs)


def check_used_once(specs: Iterable[StageSpec]) -> set[OutletRef]:
    """The outlets that are used; raise ``GraphError`` if one of them feeds two inlets."""
    fed: dict[OutletRef, StageSpec] = {}
    for spec in specs:
        for ref in spec.inputs:
            if ref is not OPEN and ref in fed:
                raise GraphError(_used_twice(ref, fed[ref], spec))
            fed[ref] = spec
    return set(fed)


def _check_no_branch(specs: Sequence[StageSpec], out: OutletRef, where: str) -> None:
    """Raise ``GraphError`` if another outlet of one of ``specs`` belongs to another stream."""
    fed = {ref for spec in specs for ref in spec.inputs}
    for spec in specs:
        others = [OutletRef(spec, index) for index in range(spec.outlets)]
        left = [ref.index for ref in others if ref != out and ref not in fed]
        if left and len(left) < spec.outlets:
            raise GraphError(
                f"{where}: expected a stream with a source of its own, got a branch of stage "
                f"'{spec.label}'{spec.made}, whose outlet {left[0]} is not part of it. The stream "
                "is started later, or not at all, and the other branches would wait for it: join "
                "branches of one stage with merge, interleave or zip"
            )


def check_source(specs: Sequence[StageSpec], out: OutletRef, where: str = "a stream") -> None:
    """Raise ``GraphError`` unless ``specs``, all that ``out`` depends on, are a closed source."""
    if out is OPEN:
        raise GraphError(
            f"{where}: expected a Source, got an empty Flow, whose input is open{at_site()}"
        )
    for spec in open_inputs(specs):
        raise GraphError(
            f"{where}: expected a Source, got a Flow whose input is open, "
            f"at stage '{spec.label}'{spec.made}"
        )
    check_plain(specs, where)
    if len(specs) == 1 and specs[0].outlets == 1 and not specs[0].inputs:
        return
    _check_no_branch(specs, out, where)
    check_closed([*specs, StageSpec("the stream's end", make=StageLogic, inputs=(out,), outlets=0)])


def _used_twice(ref: OutletRef, first: StageSpec, second: StageSpec) -> str:
    outlet = "the outlet" if ref.spec.outlets == 1 else f"outlet {ref.index}"
    return (
        f"{outlet} of stage '{ref.spec.label}' feeds exactly one inlet, got two: "
        f"'{first.label}'{first.made} and '{second.label}'{second.made}; "
        "use .broadcast(2) to give the elements to both"
    )


_OURS = 2
"""Frames to whoever called ``spec_of``, which is the first that may be the user's."""


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


def lent_spec(place: Place, lent: Lent) -> StageSpec:
    """Stands for the stage whose outlet ``lent`` is; made as ``spec_of`` does, once a group."""
    spec = object.__new__(StageSpec)
    spec.__dict__.update(kind="outlet", make=StageLogic, outflow_window=0, place=place, lent=lent)
    return spec
