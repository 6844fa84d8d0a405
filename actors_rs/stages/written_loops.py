"""Several Python functions one behind the other over a piece, in one loop.

The loop is written out for each row of kinds, as dataclasses write their methods: bytecode calls a
Python function for less than nested iterators do, and no list is made in between.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from operator import length_hint
from sys import maxsize
from typing import Any, Literal, NamedTuple, TypeAlias

from actors_rs.stages.brake import Brake, Halted

__all__ = ["Passed", "Step", "Stumble", "through"]

Kind: TypeAlias = Literal["map", "starmap", "filter"]


class Step(NamedTuple):
    """One of the functions: a ``filter`` lets pass what it is true for, the others make one."""

    kind: Kind
    function: Callable[..., Any]


class Stumble(NamedTuple):
    """Which step raised, what it was given, and the error."""

    step: int
    element: Any
    error: Exception


@dataclass(frozen=True, slots=True)
class Passed:
    """How far a loop has come: how many elements each step took, and are left of the piece."""

    taken: Sequence[int]
    left: int
    stumble: Stumble | None


class _Loop(NamedTuple):
    run: Callable[..., None]
    step_of: dict[int, int]
    """For each line on which something may raise, the step that is called there."""


def through(
    steps: Sequence[Step],
    elements: Iterator[Any],
    out: list[Any],
    brake: Brake,
    most: int = maxsize,
) -> Passed:
    """Append what ``steps`` make of ``elements``; stops behind the first they stumble over.

    ``elements`` know how many are left of them. The loop ends before the next one when the brake
    is pulled, and when ``most`` are in ``out``; there is room for one at least.
    """
    passed = [0] * len(steps)  # how many came out of each filter
    before, halted, stumble = length_hint(elements), 0, None
    loop = _loop(tuple([step.kind for step in steps]), before > most - len(out))
    try:
        loop.run([step.function for step in steps], elements, out, brake, passed, most)
    except Halted:
        halted = 1  # the element that the first function was to be called with is not taken
    except Exception as error:
        inside = error.__traceback__.tb_next  # type: ignore[union-attr]  # the loop's own frame
        if inside is None:
            raise
        step = loop.step_of[inside.tb_lineno]
        stumble = Stumble(step, inside.tb_frame.f_locals["x"], error)
    left = length_hint(elements) + halted
    return Passed(_taken(steps, before - left, passed, stumble), left, stumble)


def _taken(
    steps: Sequence[Step], came: int, passed: Sequence[int], stumble: Stumble | None
) -> list[int]:
    """How many elements came to each step, if ``came`` did to the first."""
    taken = []
    for number, step in enumerate(steps):
        taken.append(came)
        if step.kind == "filter":
            came = passed[number]
        elif stumble is not None and stumble.step == number:
            came -= 1
    return taken


@cache
def _loop(kinds: tuple[Kind, ...], limited: bool) -> _Loop:
    """A loop with a line or two for each of ``kinds``.

    It counts what passes a filter, and keeps its first function where the brake finds it. If it
    is ``limited``, it also looks whether enough came out.
    """
    last = len(kinds) - 1
    counted = [number for number, kind in enumerate(kinds) if kind == "filter" and number < last]
    text = [
        "def loop(functions, elements, out, brake, passed, most):",
        f"    [{', '.join(f'f{number}' for number in range(len(kinds)))}] = functions",
        "    brake.function = lambda: f0",
        *(f"    n{number} = 0" for number in counted),
        "    try:",
        "        for x in elements:",
    ]
    step_of = {}
    for number, kind in enumerate(kinds):
        step_of[len(text) + 1] = number
        text += _lines(kind, number, number == last)
    if limited:
        text += ["            if len(out) == most:", "                break"]
    text += ["    finally:", *(f"        passed[{n}] = n{n}" for n in counted), "        pass"]
    made: dict[str, Any] = {"__name__": __name__}
    exec("\n".join(text), made)
    return _Loop(made["loop"], step_of)


def _lines(kind: Kind, number: int, is_last: bool) -> list[str]:
    call = f"f{number}(*x)" if kind == "starmap" else f"f{number}(x)"
    if kind != "filter":
        return [f"            out.append({call})" if is_last else f"            x = {call}"]
    if is_last:
        return [f"            if {call}:", "                out.append(x)"]
    return [
        f"            if not {call}:",
        "                continue",
        f"            n{number} += 1",
    ]
