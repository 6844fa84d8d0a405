"""The envelope rules of acknowledgements: which stages keep the promise, how each is made.

The promise: an element counts as done only when everything that came of it is. A stage that keeps
elements back, mixes them or cuts a stream short cannot say that of single elements, and is refused
when the graph is built.

A source may emit elements again, or skip elements that earlier runs did. Then the results of an
element must not depend on earlier elements. `RESUMABLE` refuses stages that remember
earlier elements.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from actors_rs.delivery.carrying.batch import CarryingBatch, CarryingBatchByWeight
from actors_rs.delivery.carrying.calls import (
    CarryingExecutor,
    carrying_call,
    carrying_fallback,
    of_value,
    value_in,
)
from actors_rs.delivery.carrying.fan import CarryingFan
from actors_rs.delivery.carrying.flat_map import CarryingFlatMap
from actors_rs.delivery.carrying.kill_switch import CarryingKillSwitch
from actors_rs.delivery.carrying.operator import CarryingOperator
from actors_rs.delivery.carrying.parquet import UnitParquet
from actors_rs.delivery.carrying.processes import CarryingProcesses
from actors_rs.delivery.carrying.routing import CarryingBroadcast
from actors_rs.delivery.carrying.sinks import CarryingSink
from actors_rs.delivery.carrying.sqlite import UnitSqlite
from actors_rs.delivery.carrying.surviving import Surviving
from actors_rs.delivery.outputs import outputs_of
from actors_rs.errors import GraphError
from actors_rs.stages.linear import Operator
from actors_rs.stages.operators.batch_by_weight import BatchByWeight
from actors_rs.stages.operators.map_async_by_key import MapAsyncByKey
from actors_rs.stages.sinks.fan import Part as FanPart

if TYPE_CHECKING:
    from actors_rs.graph.spec import EnvelopeRules, StageSpec
    from actors_rs.language.sinks.fanning import FanOf
    from actors_rs.stages.stage import StageLogic

__all__ = ["ACKNOWLEDGING", "RESUMABLE"]

ONE_BY_ONE = frozenset(
    (
        "distinct",
        "distinct_until_changed",
        "filter",
        "identity",
        "map",
        "map_not_none",
        "scan",
        "starmap",
        "with_index",
    )
)
"""Operators that give what comes of an element before they draw the next one."""
REMEMBERING = frozenset(("distinct", "distinct_until_changed", "scan", "with_index"))
"""The ones that work although elements that were taken back have passed through them."""
PASSING = frozenset(
    (
        "backpressure_timeout",
        "balance",
        "completion_timeout",
        "delay",
        "idle_timeout",
        "initial_timeout",
        "interleave",
        "map_error",
        "merge",
        "merge_preferred",
        "monitor",
        "on_termination",
    )
)
"""Stages that emit elements unchanged; the elements they cut off are never acknowledged."""
TO_BY_SPEC = frozenset(("also_to", "broadcast"))
BY_FUNCTION = frozenset(("divert_to", "partition"))
AT_ONCE = frozenset(("count", "fold", "for_each", "ignore", "last", "list", "sum"))
"""Sinks that are done with an element when they have taken it."""
INSIDE = ". It is allowed in a stream that the function of flat_map returns"


class _Acknowledging:
    """Elements are ``Tracked``."""

    remedy = "leave it out, or put it before acknowledged(...)"
    """What to do about a stage that cannot acknowledge."""

    def __reduce__(self) -> str:
        return "ACKNOWLEDGING"  # compared by identity

    def maker_for(self, spec: StageSpec, /) -> Callable[[], StageLogic]:
        """What makes ``spec``'s logic; ``GraphError`` if its kind cannot keep the promise."""
        if (own := getattr(spec.make, "carrying", None)) is not None:
            return own  # type: ignore[no-any-return]  # a layer above brings its own
        if (several := _BY_SPEC.get(spec.kind)) is not None:
            return several(spec, self)
        adapt = _ADAPTERS.get(spec.kind)
        if adapt is None or (spec.kind in AT_ONCE and spec.outlets):  # an operator of that name
            raise self.refusal(spec, "cannot tell when it has finished one")
        return lambda: adapt(spec.make())

    def begun(self, spec: StageSpec, sinks: Sequence[StageSpec], /) -> Callable[[], StageLogic]:
        """What makes the logic of ``spec``, which makes elements ``Tracked``."""
        return spec.make

    def beside(self, other: EnvelopeRules, /) -> EnvelopeRules | None:
        """Where both come, that which refuses more."""
        return other if isinstance(other, _Acknowledging) else None

    def refusal(self, spec: StageSpec, why: str) -> GraphError:
        """The error for ``spec``."""
        return GraphError(
            f"stage '{spec.label}'{spec.made} takes acknowledged elements, but '{spec.kind}' "
            f"{why}: {self.remedy}{INSIDE if spec.outlets else ''}; the page 'Delivery' of the "
            "documentation lists the stages that cannot acknowledge, and what to write instead"
        )


class _Resumable(_Acknowledging):
    """Elements may be taken back and emitted again, in this run or in a later one.

    A later run must have the same sinks, so the source gets the list of sinks.
    """

    remedy = "leave it out, or let the query of the source do it"

    def begun(self, spec: StageSpec, sinks: Sequence[StageSpec], /) -> Callable[[], StageLogic]:
        into = getattr(spec.make, "into", None)  # of a source that keeps a ledger
        return spec.make if into is None else partial(into, outputs_of(sinks))

    def __reduce__(self) -> str:
        return "RESUMABLE"

    def beside(self, other: EnvelopeRules, /) -> EnvelopeRules | None:
        return self if isinstance(other, _Acknowledging) else None

    def maker_for(self, spec: StageSpec, /) -> Callable[[], StageLogic]:
        if spec.kind in REMEMBERING:
            raise self.refusal(
                spec,
                "remembers earlier ones, also those of a partition that is tried again",
            )
        return super().maker_for(spec)


ACKNOWLEDGING = _Acknowledging()
RESUMABLE = _Resumable()


_mixed: Callable[[Any, Any], Any] = cache(
    lambda first, cls: type(f"{first.__name__}{cls.__name__}", (first, cls), {})
)
"""The class that is both, made once."""


def _mixing(first: type) -> Callable[[Any], StageLogic]:
    """A function that puts ``first`` before a logic's own class in its method order."""

    def adapt(logic: Any) -> StageLogic:
        logic.__class__ = _mixed(first, type(logic))
        return logic  # type: ignore[no-any-return]

    return adapt


def _partition(logic: Any) -> StageLogic:
    logic._f = of_value(logic._f)
    return _mixing(Surviving)(logic)


def _batch(logic: Any) -> StageLogic:
    if not isinstance(logic, BatchByWeight):
        return _mixing(CarryingBatch)(logic)
    logic._weight = of_value(logic._weight)
    return _mixing(CarryingBatchByWeight)(logic)


def _map_async(logic: Any) -> StageLogic:
    if logic._executor is None or logic._is_coroutine_function:  # the latter run without it
        logic._f = carrying_call(logic._f)
    else:
        logic._executor = CarryingExecutor(logic._executor)
    if logic.limit is not None:
        logic.limit.value_of = value_in
    carrying_fallback(logic)
    if isinstance(logic, MapAsyncByKey):
        logic.key = of_value(logic.key)
    return _mixing(Surviving)(logic)


def _processes(logic: Any) -> StageLogic:
    _mixing(CarryingProcesses)(logic)
    carrying_fallback(logic)
    logic._f = logic._called  # not the method of its own class
    return logic  # type: ignore[no-any-return]


def _throttle(logic: Any) -> StageLogic:
    if logic._cost is not None:
        logic._cost = of_value(logic._cost)
    return _mixing(Surviving)(logic)


def _sqlite(logic: Any) -> StageLogic:
    return UnitSqlite(*logic.made_with)


def _parquet(logic: Any) -> StageLogic:
    return UnitParquet(Path(logic._directory), logic._given_schema, logic._existing)


def _fan(spec: StageSpec, envelopes: _Acknowledging) -> Callable[[], StageLogic]:
    made_of: FanOf = spec.make  # type: ignore[assignment]
    parts = [
        FanPart(one.label, one.site, envelopes.maker_for(one), one.attributes.on_failure)
        for one in made_of.specs
    ]
    return lambda: CarryingFan(parts)


def _flat_map(spec: StageSpec, envelopes: _Acknowledging) -> Callable[[], StageLogic]:
    if not isinstance(spec.make(), Operator):
        raise envelopes.refusal(spec, "with a breadth mixes the results of several")
    return lambda: _mixing(CarryingFlatMap)(spec.make())


def _buffer(spec: StageSpec, envelopes: _Acknowledging) -> Callable[[], StageLogic]:
    if spec.outflow_window is not None:
        raise envelopes.refusal(spec, "drops elements without saying which")
    return spec.make


_BY_SPEC: dict[str, Callable[[StageSpec, _Acknowledging], Callable[[], StageLogic]]] = {
    "buffer": _buffer,
    "concat_map": _flat_map,
    "fan": _fan,
    "flat_map": _flat_map,
}
"""Stages that can or cannot keep the promise by what they are made of."""
_ADAPTERS: dict[str, Callable[[Any], StageLogic]] = {
    **dict.fromkeys(ONE_BY_ONE, _mixing(CarryingOperator)),
    **dict.fromkeys(PASSING, lambda logic: logic),
    **dict.fromkeys(TO_BY_SPEC, _mixing(CarryingBroadcast)),
    **dict.fromkeys(BY_FUNCTION, _partition),
    **dict.fromkeys(AT_ONCE, _mixing(CarryingSink)),
    "batch": _batch,
    "kill_switch": _mixing(CarryingKillSwitch),
    "map_async": _map_async,
    "map_processes": _processes,
    "flat_map_processes": _processes,
    "parquet": _parquet,
    "sqlite": _sqlite,
    "throttle": _throttle,
}
