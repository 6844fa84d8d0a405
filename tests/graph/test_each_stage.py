"""Every stage has a property test, and here it is said which."""

import ast
from pathlib import Path

import pytest

GRAPH = Path(__file__).resolve().parent
STAGES = GRAPH.parents[1] / "actors_rs" / "stages"

# Where Hypothesis chooses what a stage gets, what is asked of it and how it ends. A stage with such
# a test in a file of its own, tests/stages/test_<stage>.py, needs no entry.
TESTED = {
    "test_operators": """average contains count default_if_empty distinct distinct_until_changed
        element_at end_with extreme filter first flat_map last map map_not_none reduce
        reduce_without_initial scan search skip skip_while sliding sort_within starmap start_with
        stateful_map sum take take_while with_index""",
    "test_aggregate_by": "aggregate_by",
    "test_aggregate_windows": "aggregate_windows",
    "test_join": "join",
    "test_timing": "backpressure_timeout conflate expand monitor on_termination",
    "test_timed_models": """completion_timeout debounce delay idle_timeout initial_timeout
        keep_alive sample skip_within take_within throttle tick""",
    "test_trials_in_worlds": "buffer kill_switch queue",
    "test_batch_by_weight": "batch_by_weight",
    "test_map_async_by_key": "map_async_by_key",
    "test_map_processes": "map_processes flat_map_processes",
    "test_recovery": "map_error recover recover_with",
    "test_trials": "amb batch catch map_async switch_map",
    "test_trials_of_hubs": "hub merge_hub partition_hub",
    "test_branches": "balance broadcast partition unzip",
    "test_fan_out": "also_to divert_to wire_tap",
    "test_combining": """combine_latest interleave merge merge_preferred merge_sorted zip
        zip_latest""",
    "test_feedback": "feedback",
    "test_group_by": "group_by",
    "test_substreams": "concat flat_map_merge",
    "test_each_source": "csv empty files jsonl lines parquet sqlite timer",
    "test_async_iterables": "from_async_iterable",
    "test_from_callback": "from_callback",
    "test_composed_sinks": "sink_and_source",
    "test_generated": "generated",
    "test_sources": "defer from_future from_iterable of repeat unfold unfold_resource",
}
OTHERWISE = {
    "never": "gives nothing, whatever is chosen",
    "failed": "gives nothing, whatever is chosen",
    "identity": "a flow without stages: gives what it gets",
    "bytes": "its properties are in tests/stages/test_inputs.py",
    "json": "its properties are in tests/stages/test_json_source.py",
}
NO_STAGES = {"__init__", "hot", "hub_buffer", "parquet_files"}
WRITTEN = {  # the stages whose file has another name than the method that makes them
    "aggregate_windows": "every",
    "batch_by_weight": "max_weight",
    "extreme": "min",
    "generated": "totals",
    "sink_and_source": "from_sink_and_source",
    "from_async_iterable": "from_iterable",
    "feedback": "Feedback",
    "search": "some",
    "flat_map_merge": "breadth",
    "map_async_by_key": "key",
}


def files():
    folders = ("operators", "junctions", "hubs", "sources")
    return {path.stem for folder in folders for path in (STAGES / folder).rglob("*.py")} - NO_STAGES


def test_it_is_said_of_every_stage_where_it_has_its_property_test():
    said = [stage for stages in TESTED.values() for stage in stages.split()]
    assert sorted({*said, *OTHERWISE, *with_a_file_of_their_own()}) == sorted(files())
    assert len(said) == len({*said} - {*OTHERWISE})


def with_a_file_of_their_own():
    """The stages with a property test in ``tests/stages/test_<stage>.py``: they need no entry."""
    for stage in files():
        own = GRAPH.parent / "stages" / f"test_{stage}.py"
        if own.exists() and stage in words_of_properties(own.read_text(encoding="utf-8")):
            yield stage


@pytest.mark.parametrize("module", TESTED)
def test_the_property_tests_are_where_it_is_said(module):
    text = (GRAPH / f"{module}.py").read_text(encoding="utf-8")
    used = words_of_properties(text)
    assert used, f"{module} has no property test"
    for stage in TESTED[module].split():
        word = WRITTEN.get(stage, stage)
        assert word in used, f"no property test of {module} uses {stage}"


def words_of_properties(text):
    """What is named in the property tests of a module, and in whatever of it they use."""
    made = {name: node for node in ast.parse(text).body for name in names_made_by(node)}
    drawing = {"given", *(name for name, node in made.items() if draws(node))}
    used, left = set(), [name for name, node in made.items() if is_property(node, drawing)]
    while left:
        words = set(words_in(made.pop(left.pop(), None)))
        used |= words
        left += words & made.keys()
    return used


def names_made_by(node):
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            return [node.name]
        case ast.Assign():
            return [target.id for target in node.targets if isinstance(target, ast.Name)]
        case _:
            return []


def draws(node):
    """Whether it is a ``given`` that several tests share."""
    return isinstance(node, ast.Assign) and "given" in words_in(node.value)


def is_property(node, drawing):
    """Whether it is a test whose examples Hypothesis draws."""
    decorators = node.decorator_list if isinstance(node, ast.FunctionDef) else []
    return any(drawing & {*words_in(one)} for one in decorators)


def words_in(node):
    """Names, attributes, keywords and texts below ``node``, but for what describes it."""
    for one in ast.walk(node) if node is not None else ():
        match one:
            case ast.Name():
                yield one.id
            case ast.Attribute():
                yield one.attr
            case ast.keyword(arg=str()):
                yield one.arg
            case ast.Constant(value=str() as text) if text.isidentifier():
                yield text


def test_a_stage_that_only_another_test_or_a_comment_names_has_no_property_test():
    text = """
TABLE = {"a": lambda s: s.in_a_table()}

def helper(s):
    return s.in_a_helper()

@pytest.mark.parametrize("kind", TABLE)
@given(xs=lists)
def test_one(kind, xs):
    helper(TABLE[kind])  # in_a_comment

drawn = given(xs=lists)

@drawn
def test_two(xs):
    Source.of(1).in_a_test_that_shares()

def test_three():
    Source.of(1).in_another_test()
"""
    used = words_of_properties(text)
    assert {"in_a_table", "in_a_helper", "in_a_test_that_shares"} <= used
    assert not {"in_another_test", "in_a_comment"} & used
