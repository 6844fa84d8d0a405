"""Every stage of ours, in each of its roles, under the complete conformance kit."""

import pytest

from tests.conformance.junctions import JUNCTIONS
from tests.conformance.kit import cases, complaints, outcomes
from tests.conformance.operators import OPERATORS
from tests.conformance.stages import FLOWS, HUBS, PAIRS, SINKS, SOURCES
from tests.conventions.project import ROOT

CASES = [
    pytest.param(case, PAIRS[index % len(PAIRS)], id=f"{name}-{PAIRS[index % len(PAIRS)]}")
    for index, (name, case) in enumerate(cases())
]
STREAMS = 5
"""Of the streams that play rule 1.3: most of the kit's time. Under ``stress`` it has its 100."""
HELPERS = {  # parts of stages
    *("hubs/hot", "hubs/hub_buffer", "sources/files/parquet_files"),
    *("sinks/files/writing", "sinks/files/text_file", "sinks/files/part_files"),
    *("sinks/files/directory_hold", "sinks/files/sqlite_statement"),
}


@pytest.mark.parametrize(("case", "setting"), CASES)
def test_a_stage_keeps_every_rule_that_the_kit_checks(case, setting, tmp_path):
    assert complaints(outcomes(case, setting, tmp_path, STREAMS)) == []


def test_every_stage_is_in_the_list_and_nothing_else_is():
    stages = ROOT / "actors_rs" / "stages"
    files = {
        path.relative_to(stages).with_suffix("").as_posix()
        for folder in ("sources", "operators", "junctions", "hubs", "sinks")
        for path in (stages / folder).rglob("[!_]*.py")
    }
    assert {*SOURCES, *FLOWS, *HUBS, *SINKS} == files - HELPERS, (
        "add a row to tests/conformance/operators.py, or to the table of its kind next to it"
    )


@pytest.mark.parametrize("table", [OPERATORS, JUNCTIONS], ids=["operators", "junctions"])
def test_the_rows_are_in_alphabetical_order(table):
    assert [*table] == sorted(table)


def test_the_settings_bring_every_two_choices_together():
    assert len(PAIRS) == 8
    for one in ("workers", "window", "frames"):
        for other in {"workers", "window", "frames"} - {one}:
            met = {(getattr(s, one), getattr(s, other)) for s in PAIRS}
            choices = [{getattr(s, name) for s in PAIRS} for name in (one, other)]
            assert len(met) == len(choices[0]) * len(choices[1])
