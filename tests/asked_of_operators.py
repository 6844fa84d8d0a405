"""The tests that ask something of each operator or junction: a row, a picture, a rule, a text.

``make quick`` runs them early when a stage is new or has changed, and the test of CONTRIBUTING.md
runs them on its example. Tests of single operators are not among them.
"""

from __future__ import annotations

__all__ = ["FOLDERS", "TESTS"]

FOLDERS = ("actors_rs/stages/operators/", "actors_rs/stages/junctions/")
_BLUEPRINTS = "tests/graph/test_pickled_blueprints.py"
_CONFORMANCE = "tests/conformance/test_our_stages.py"
_EXPLORED = "tests/explored/test_coverage.py"
_TIMED = "test_every_junction_and_every_stage_with_time_or_threads"
TESTS = (
    f"{_CONFORMANCE}::test_every_stage_is_in_the_list_and_nothing_else_is",
    f"{_CONFORMANCE}::test_the_rows_are_in_alphabetical_order",
    "tests/pages/test_operators.py",
    "tests/pages/test_marbles.py",
    "tests/test_unknown_names.py",
    "tests/graph/test_each_stage.py",
    "tests/graph/test_operator_arguments.py",
    f"{_BLUEPRINTS}::test_every_method_of_the_language_has_a_diagram_or_is_in_a_table",
    f"{_BLUEPRINTS}::test_a_stream_plays_the_same_diagram",
    f"{_BLUEPRINTS}::test_a_flow_whose_input_is_open_plays_the_same_diagram",
    "tests/stress_bench/test_operator_rows.py",
    "tests/docs/test_delivery_page.py",
    "tests/testing/test_conservation.py"
    "::test_every_operator_and_junction_has_a_rule_or_is_known_to_have_none",
    f"{_EXPLORED}::{_TIMED}_has_a_bug_in_the_museum",
    f"{_EXPLORED}::{_TIMED}_is_explored",
)
"""Files and single tests, as pytest takes them; the slowest is the last."""
