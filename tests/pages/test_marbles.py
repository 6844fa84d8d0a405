"""Marble diagrams show what a run in virtual time gives, and each stage has one."""

from dataclasses import replace

import pytest

from tests.conformance.stages import FLOWS
from tests.pages.marbles.pictures import FOLDER, MARBLES, UNDRAWN, pictures
from tests.pages.marbles.played import play

ADD = """add a row to tests/pages/marbles/operators.py (junctions.py for a junction), then run
.venv/bin/python -m tests.pages.marbles, which writes the picture. If it cannot be drawn, give the
reason in UNDRAWN of tests/pages/marbles/pictures.py."""


@pytest.mark.parametrize("stage", MARBLES)
def test_the_diagram_shows_what_a_run_in_virtual_time_gives(stage):
    assert play(MARBLES[stage]) == MARBLES[stage].outputs


def test_a_diagram_that_lies_is_found():
    marble = MARBLES["operators/debounce"]
    lie = replace(marble, build=lambda a: a.debounce(3))
    assert play(lie) != marble.outputs


def test_every_operator_and_junction_has_a_diagram_or_a_reason():
    drawn = MARBLES.keys() | UNDRAWN.keys()
    missing, gone = sorted(FLOWS.keys() - drawn), sorted(drawn - FLOWS.keys())
    assert not missing, f"no diagram of {', '.join(missing)}: {ADD}"
    assert not gone, f"a diagram of {', '.join(gone)}, but no row in tests/conformance"


def test_the_pictures_are_what_the_descriptions_make():
    again = "pictures are out of date: python -m tests.pages.marbles"
    assert {path.name: path.read_text("utf-8") for path in FOLDER.glob("*.svg")} == pictures(), (
        again
    )
