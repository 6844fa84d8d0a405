"""Streams whose elements are in envelopes, for instance with an acknowledgement.

The ``EnvelopeRules`` of a source decide how the logic of each stage downstream is made. Stages see
the elements of the user; links transport the envelopes. Building the graph raises ``GraphError``
for a stage that cannot keep the promise of the rules.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from actors_rs.errors import GraphError

if TYPE_CHECKING:
    from actors_rs.graph.spec import EnvelopeRules, StageSpec
    from actors_rs.stages.stage import StageLogic

__all__ = ["check_plain", "makers_of"]


def makers_of(specs: Sequence[StageSpec]) -> dict[StageSpec, Callable[[], StageLogic]]:
    """The function that makes the logic of each of ``specs``, which has inputs first.

    Raises ``GraphError`` for a stage that the rules refuse, and for a stage that has inputs with
    envelopes and inputs without.
    """
    rules_of: dict[StageSpec, EnvelopeRules | None] = {}
    makers: dict[StageSpec, Callable[[], StageLogic]] = {}
    for spec in specs:
        flowing = list(dict.fromkeys(rules_of.get(ref.spec) for ref in spec.inputs))
        rules = flowing[0] if flowing else None
        for other in flowing[1:]:
            rules = None if rules is None or other is None else rules.beside(other)
            if rules is None:
                raise GraphError(
                    f"stage '{spec.label}'{spec.made} is fed with elements that are "
                    "acknowledged and with others: acknowledge all of its streams or none"
                )
        makers[spec] = spec.make if rules is None else rules.maker_for(spec)
        rules_of[spec] = rules if rules is not None else spec.envelopes
        if rules is None and spec.envelopes is not None:
            makers[spec] = spec.envelopes.begun(spec, _sinks_behind(spec, specs))
    return makers


def _sinks_behind(source: StageSpec, specs: Sequence[StageSpec]) -> list[StageSpec]:
    reached = {source}
    for spec in specs:
        if any(ref.spec in reached for ref in spec.inputs):
            reached.add(spec)
    return [spec for spec in specs if spec in reached and not spec.outlets and spec.loop is None]


def check_plain(specs: Sequence[StageSpec], where: str) -> None:
    """Raise ``GraphError`` if elements of ``specs`` are in envelopes.

    Called where a stream leaves its graph: no stage outside would open the envelopes or settle
    them.
    """
    for spec in specs:
        if spec.envelopes is not None:
            raise GraphError(
                f"{where}: expected plain elements, got acknowledged ones, from stage "
                f"'{spec.label}'{spec.made}: a stream whose elements are acknowledged "
                "has to end in sinks of its own graph"
            )
