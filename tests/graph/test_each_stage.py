"""Every stage has a property test, and here it is said which."""

import re
from pathlib import Path

import pytest

GRAPH = Path(__file__).resolve().parent
STAGES = GRAPH.parents[1] / "actors_rs" / "stages"

# Where Hypothesis chooses what a stage gets, what is asked of it and how it ends.
TESTED = {
    "test_operators": """average contains count default_if_empty distinct distinct_until_changed
        element_at end_with extreme filter first flat_map last map map_not_none reduce
        reduce_without_initial scan search skip skip_while sliding sort_within starmap start_with
        stateful_map sum take take_while with_index""",
    "test_timing": """backpressure_timeout buffer completion_timeout conflate debounce delay expand
        idle_timeout initial_timeout keep_alive kill_switch monitor on_termination sample
        skip_within take_within throttle""",
    "test_batch_by_weight": "batch_by_weight",
    "test_map_async_by_key": "map_async_by_key",
    "test_recovery": "map_error recover recover_with",
    "test_fused_graphs": "fused",
    "test_trials": "amb balance batch catch map_async merge_hub partition_hub switch_map",
    "test_fan_out": "also_to broadcast divert_to partition unzip wire_tap",
    "test_combining": """combine_latest interleave merge merge_preferred merge_sorted zip
        zip_latest""",
    "test_feedback": "feedback",
    "test_group_by": "group_by",
    "test_substreams": "concat flat_map_merge",
    "test_each_source": "csv empty files jsonl lines parquet sqlite tick timer",
    "test_sources": "defer from_future from_iterable of repeat unfold unfold_resource",
    "test_source_queue": "queue",
}
OTHERWISE = {
    "hub": "explored in tests/explored/scenarios/hubs, and its buffer has a model",
    "never": "gives nothing, whatever is chosen",
    "failed": "gives nothing, whatever is chosen",
    "identity": "a flow without stages: gives what it gets",
}
NO_STAGES = {"__init__", "hot", "hub_buffer"}
WRITTEN = {  # the stages whose file has another name than the method that makes them
    "batch_by_weight": "max_weight",
    "extreme": "min",
    "search": "some",
    "fused": "fuse",
    "flat_map_merge": "breadth",
    "map_async_by_key": "key=",
}


def files():
    folders = ("operators", "junctions", "sources")
    return {path.stem for folder in folders for path in (STAGES / folder).glob("*.py")} - NO_STAGES


def test_it_is_said_of_every_stage_where_it_has_its_property_test():
    said = [stage for stages in TESTED.values() for stage in stages.split()]
    assert sorted([*said, *OTHERWISE]) == sorted(files())


@pytest.mark.parametrize("module", TESTED)
def test_the_property_tests_are_where_it_is_said(module):
    text = (GRAPH / f"{module}.py").read_text(encoding="utf-8")
    assert "@given" in text, f"{module} has no property test"
    for stage in TESTED[module].split():
        word = WRITTEN.get(stage, stage)
        assert re.search(rf"\b{word}", text), f"{module} says nothing of {stage}"
