"""Whether an element can ever get into a loop; a loop into which none can is refused.

A stage is *dry* if it gives nothing before the loop has given it an element. The source of a loop
is dry, and so is each stage after it that only passes elements on. A loop whose sink is dry stays
empty for ever. A kind of stage that is not listed here may give elements of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from actors_rs.errors import GraphError

if TYPE_CHECKING:
    from actors_rs.graph.spec import StageSpec

__all__ = ["check_entry"]

WAITS_FOR_ALL = frozenset({"zip", "zip_latest", "combine_latest", "merge_sorted"})
"""They give nothing before each input has given an element."""
WAITS_FOR_THE_FIRST = frozenset({"interleave", "append", "concat", "if_empty"})
"""They give nothing before their first input has given an element, or has ended."""
PASSES_ON = frozenset(
    [
        "also_to",
        "balance",
        "batch",
        "broadcast",
        "buffer",
        "concat_map",
        "delay",
        "distinct",
        "distinct_until_changed",
        "divert_to",
        "feedback",
        "filter",
        "flat_map",
        "flat_map_processes",
        "group_by",
        "kill_switch",
        "map",
        "map_async",
        "map_processes",
        "merge",
        "merge_preferred",
        "monitor",
        "pairwise",
        "partition",
        "skip",
        "skip_while",
        "sliding",
        "starmap",
        "switch_map",
        "take",
        "take_while",
        "throttle",
        "unzip",
        "wire_tap",
    ]
)
"""They give only what comes of the elements of their inputs."""


def check_entry(
    specs: Sequence[StageSpec], closing: Mapping[StageSpec, Sequence[StageSpec]]
) -> None:
    """Raise ``GraphError`` for a loop that no element can enter.

    ``closing`` has the stages that lead back to the source of each loop.
    """
    dry_loops = set(closing)
    while dry_loops:
        dry = _dry_stages(specs, dry_loops)
        entered = {source for source in dry_loops if not dry.issuperset(closing[source])}
        if not entered:
            source = next(spec for spec in specs if spec in dry_loops)
            raise GraphError(_says_why(source, [spec for spec in specs if spec in dry]))
        dry_loops -= entered


def _dry_stages(specs: Sequence[StageSpec], sources: set[StageSpec]) -> set[StageSpec]:
    dry = set(sources)
    for spec in specs:  # each after its inputs
        if spec.inputs and _is_dry(spec.kind, [ref.spec in dry for ref in spec.inputs]):
            dry.add(spec)
    return dry


def _is_dry(kind: str, dry_inputs: list[bool]) -> bool:
    if kind in WAITS_FOR_ALL:
        return any(dry_inputs)
    if kind in WAITS_FOR_THE_FIRST:
        return dry_inputs[0]
    return kind in PASSES_ON and all(dry_inputs)


def _says_why(source: StageSpec, dry: Sequence[StageSpec]) -> str:
    waiting = [spec for spec in dry if spec.kind in WAITS_FOR_ALL | WAITS_FOR_THE_FIRST]
    loop = f"no element can get into the loop of '{source.label}'{source.made}: "
    if not waiting:
        return f"{loop}nothing leads into it; merge a source into it, with merge_preferred"
    first = waiting[0]
    return (
        f"{loop}stage '{first.label}'{first.made} waits for the loop before it gives any; merge a "
        "source into the loop with merge_preferred, or give the loop its first elements, as in "
        "loop.source.start_with(0)"
    )
