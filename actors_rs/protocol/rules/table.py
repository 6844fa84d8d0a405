"""All rules in one table, and the look-up by number."""

from __future__ import annotations

from actors_rs.errors import InvalidArgumentError
from actors_rs.protocol.rules.processor import PROCESSOR_RULES
from actors_rs.protocol.rules.publisher import PUBLISHER_RULES
from actors_rs.protocol.rules.rule import Rule
from actors_rs.protocol.rules.subscriber import SUBSCRIBER_RULES
from actors_rs.protocol.rules.subscription import SUBSCRIPTION_RULES
from actors_rs.texts import repr_of

__all__ = ["RULES", "rule"]

RULES: tuple[Rule, ...] = (
    *PUBLISHER_RULES,
    *SUBSCRIBER_RULES,
    *SUBSCRIPTION_RULES,
    *PROCESSOR_RULES,
)
"""The 43 rules of the standard, 1.1 to 4.2."""

_BY_ID = {known.id: known for known in RULES}


def rule(id: str, /) -> Rule:
    """The rule of that number; ``InvalidArgumentError`` if the standard has none such."""
    if id not in _BY_ID:
        known = f"{RULES[0].id} to {RULES[-1].id}"
        raise InvalidArgumentError(f"the rules are numbered {known}, got {repr_of(id)}")
    return _BY_ID[id]
