"""Every graph of the table with every number of workers, throughput and window."""

from __future__ import annotations

import itertools
import os
import random
from pathlib import Path

import pytest

import actors_rs.stages.junctions
from stress.graphs import ROWS
from stress.running import Case, run_case
from stress.settings import Settings

CORES = os.cpu_count() or 1
WORKERS = sorted({1, 2, CORES, 4 * CORES})
THROUGHPUTS = (1, 5, 100)
WINDOWS = (1, 2, 16, 1024)
PARTS = 12
"""Rounds that it takes to go through the table."""

CASES = [Case(*one) for one in itertools.product(ROWS, WORKERS, THROUGHPUTS, WINDOWS)]
random.Random("the order of the table").shuffle(CASES)  # so that each part has some of everything


@pytest.mark.rotated(PARTS)
@pytest.mark.timeout(600)
@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_graph_loses_doubles_and_leaks_nothing_on_real_threads(
    case: Case, settings: Settings
) -> None:
    run_case(case, settings)


def test_every_junction_has_its_row() -> None:
    folder = Path(actors_rs.stages.junctions.__file__).parent
    junctions = {path.stem for path in folder.glob("*.py")} - {"__init__", "hot", "hub_buffer"}
    assert junctions == {row.of for row in ROWS if row.of}
