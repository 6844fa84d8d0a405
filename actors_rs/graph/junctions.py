"""What to write where a method would change a stage that several flows come out of."""

from __future__ import annotations

from actors_rs.graph.spec import StageSpec

__all__ = ["for_junction"]

_ADVICE = {
    "named": "write {0}(..., name=...)",
    "with_attributes": "write {0}(..., window=...); it has no other attribute",
    "on_failure": "partition(..., on_failure=...) has a policy, and no other junction has one",
}


def for_junction(how: str, spec: StageSpec) -> str:
    """Why ``how`` of one flow cannot change the junction ``spec``, and the code to write."""
    advice = _ADVICE.get(how, "call it before {0}, or after a stage of this flow")
    return (
        f"'{spec.label}'{spec.made} has {spec.outlets} outlets, and one flow of them cannot change "
        f"it: {advice.format(spec.kind)}"
    )
