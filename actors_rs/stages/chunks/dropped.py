"""``Dropped``: how many elements came to an inlet that wanted no more."""

from __future__ import annotations

__all__ = ["Dropped", "pour"]


class Dropped:
    """A counter that any thread may add to, without a lock: single steps of a list.

    Each number is poured into the sums of its kind of stage once, also one that comes later.
    """

    __slots__ = ("_numbers", "_poured", "_sums")

    def __init__(self, elements: int) -> None:
        self._numbers = [elements]
        self._poured = 0
        self._sums: list[int] | None = None

    @property
    def total(self) -> int:
        """All that came to this inlet."""
        return sum(self._numbers) + self._poured

    def add(self, elements: int) -> None:
        """So many more were dropped."""
        self._numbers.append(elements)
        if self._sums is not None:
            self._pour(self._sums)

    def pour_into(self, sums: list[int]) -> None:
        """Add all that came, and all that will come, to ``sums`` as well."""
        self._sums = sums
        self._pour(sums)

    def _pour(self, sums: list[int]) -> None:
        number = pour(self._numbers)
        self._poured += number
        if number:
            sums.append(number)


def pour(numbers: list[int]) -> int:
    """Take all ``numbers``, each of which one thread gets; their sum."""
    total = 0
    while numbers:
        try:
            total += numbers.pop()
        except IndexError:  # another thread has taken the last one
            break
    return total
