"""Streams whose elements carry something with them, for instance an acknowledgement.

A source says so with a ``Carrier``, which decides how the logic of each stage downstream is made:
stages see the user's elements, links carry the envelopes. Building the graph refuses a stage that
cannot keep the promises of the carrier.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from actors_rs.errors import GraphError

if TYPE_CHECKING:
    from actors_rs.graph.spec import Carrier, StageSpec
    from actors_rs.stages.stage import StageLogic

__all__ = ["check_plain", "makers_of"]


def makers_of(specs: Sequence[StageSpec]) -> dict[StageSpec, Callable[[], StageLogic]]:
    """The function that makes the logic of each of ``specs``, given each after its inputs.

    Raises ``GraphError`` for a stage that a carrier refuses, or that has inputs both with
    envelopes and without.
    """
    carriers: dict[StageSpec, Carrier | None] = {}
    makers: dict[StageSpec, Callable[[], StageLogic]] = {}
    for spec in specs:
        flowing = list(dict.fromkeys(carriers.get(ref.spec) for ref in spec.inputs))
        carrier = flowing[0] if flowing else None
        for other in flowing[1:]:
            carrier = carrier.beside(other) if carrier is not None and other is not None else None
            if carrier is None:
                raise GraphError(
                    f"stage '{spec.label}'{spec.made} is fed with elements that are "
                    "acknowledged and with others: expected all or none"
                )
        makers[spec] = spec.make if carrier is None else carrier.carried(spec)
        carriers[spec] = carrier if carrier is not None else spec.carrier
        if carrier is None and spec.carrier is not None:
            makers[spec] = spec.carrier.begun(spec, _sinks_behind(spec, specs))
    return makers


def _sinks_behind(source: StageSpec, specs: Sequence[StageSpec]) -> list[StageSpec]:
    reached = {source}
    for spec in specs:
        if any(ref.spec in reached for ref in spec.inputs):
            reached.add(spec)
    return [spec for spec in specs if spec in reached and not spec.outlets and spec.loop is None]


def check_plain(specs: Sequence[StageSpec], where: str) -> None:
    """Raise ``GraphError`` if what comes out of ``specs`` carries something.

    To be asked where a stream leaves the graph that was looked at as a whole: nobody behind would
    take off what its elements carry, or tell when it is done with one.
    """
    for spec in specs:
        if spec.carrier is not None:
            raise GraphError(
                f"{where}: expected plain elements, got acknowledged ones, from stage "
                f"'{spec.label}'{spec.made}: a stream whose elements are acknowledged "
                "has to end in sinks of its own graph"
            )
