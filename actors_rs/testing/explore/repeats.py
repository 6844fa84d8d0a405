"""Whether a run is the same when it is made again: a trace is worth nothing if it is not."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from actors_rs.errors import NondeterminismError
from actors_rs.testing.decisions import Decisions, Scripted
from actors_rs.testing.explore.shrink import kind_of
from actors_rs.testing.world import World
from actors_rs.texts import class_name_of, text_of

__all__ = ["check_repeats"]

Make: TypeAlias = Callable[[Decisions], tuple[World, BaseException | None]]
ITS_INPUT = "what runs in a world must depend on nothing but its input"


def check_repeats(
    make: Make, world: World, error: BaseException | None, first: Mapping[int, int] | None
) -> BaseException | None:
    """``error``, or what is wrong if the run that left ``world`` is another one the second time.

    ``first`` are the deviations of a run that has passed. If there is an ``error``, that run is
    made again, too: if it fails now, state has survived the run that failed.
    """
    again, other = make(Scripted(world.decisions.deviations))
    wrong = _difference(world, again) or _other_end(error, other)
    if not wrong and error is not None and first is not None:
        wrong = _outlived(make(Scripted(first))[1])
    if not wrong:
        return error
    raised = NondeterminismError(wrong)
    raised.__cause__ = error
    return raised


def _difference(first: World, second: World) -> str:
    if first.digest == second.digest:
        return ""
    one, other = first.deliveries(), second.deliveries()
    if one == other:  # both have failed, and were taken down in two ways
        return ""
    same = _in_common(one, other)
    shown = [str(made[same]) if same < len(made) else "nothing more" for made in (one, other)]
    return (
        f"the same decisions made two different runs: {ITS_INPUT}; delivery {same + 1} was first "
        f"'{shown[0]}', then '{shown[1]}'"
    )


def _in_common(one: Sequence[object], other: Sequence[object]) -> int:
    """How many are the same at the beginning."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (left, right) in pairs if left != right), min(len(one), len(other)))


def _other_end(error: BaseException | None, other: BaseException | None) -> str:
    if kind_of(error) == kind_of(other):
        return ""
    return (
        f"the same decisions made two runs with two ends: {ITS_INPUT}; the first {_end(error)}, "
        f"the second {_end(other)}"
    )


def _outlived(error: BaseException | None) -> str:
    if error is None:
        return ""
    return (
        f"the same decisions passed in the first run of all, and made again now it {_end(error)}: "
        f"{ITS_INPUT}, but something outlives a run, such as a module's dict"
    )


def _end(error: BaseException | None) -> str:
    if error is None:
        return "passed"
    text = text_of(error).partition("\n")[0]
    return f"failed with {class_name_of(error)}{text and ': '}{text}"
