"""What each stage waits for."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

from actors_rs.engine.explaining.plan import Plan, class_of, quoted
from actors_rs.engine.layout import Planned

__all__ = ["rule_of", "waits"]

_RULE, _NEXT = "Back-pressure: ", "Completes: "


def waits(plan: Plan) -> Iterator[str]:
    """A line for each stage with the stages that it waits for, and one with its rule."""
    for stage in plan.stages:
        yield f"{plan.names[stage.spec]}: {_whom(plan, stage)}"
        if rule := rule_of(class_of(stage.spec.make)):
            yield f"  {rule}"


def _whom(plan: Plan, stage: Planned) -> str:
    fed = [plan.names[one.spec] for one in plan.fed_by.get(stage.spec, ())]
    elements = f"for elements of {quoted(names)}" if (names := plan.feeders_of(stage)) else ""
    requests = f"for requests of {quoted(fed)}" if fed else ""
    return " and ".join(filter(None, (elements, requests))) or "for nothing"


def rule_of(kind: Any) -> str:
    """The rule of back-pressure that the module of ``kind`` states; empty for a foreign stage."""
    module = sys.modules.get(getattr(kind, "__module__", "") or "")
    text = (module.__doc__ if module is not None else "") or ""
    _, found, rest = text.partition(f"\n{_RULE}")
    rule, ended, _ = rest.partition(f"\n{_NEXT}")
    return " ".join(rule.replace("``", "").split()).removesuffix(".") if found and ended else ""
