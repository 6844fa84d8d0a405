"""Names of stages: one for each in a graph."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

__all__ = ["unique_names"]


def unique_names(labels: Iterable[str]) -> list[str]:
    """Each label; one that has occurred before gets ``-2``, ``-3`` and so on at its end."""
    taken: set[str] = set()
    numbers: Counter[str] = Counter()  # where to go on, else many of a kind would take n * n steps
    names = []
    for label in labels:
        name = label
        while name in taken:
            numbers[label] += 1
            name = f"{label}-{numbers[label] + 1}"
        taken.add(name)
        names.append(name)
    return names
