"""What to write where a method would change a stage that several flows come out of."""

from __future__ import annotations

__all__ = ["for_junction"]

_ADVICE = {
    "named": "write {0}(..., name=...)",
    "with_attributes": "write {0}(..., window=...); it has no other attribute",
    "on_failure": "partition(..., on_failure=...) has a policy, and no other junction has one",
}


def for_junction(how: str, kind: str) -> str:
    """The code to write instead of the method ``how`` of a flow that ends in the junction."""
    return _ADVICE.get(how, "call it before {0}, or after a stage of this flow").format(kind)
