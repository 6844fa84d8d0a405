"""A thousand random graphs, ended at a random moment: the books are right, within a second."""

from __future__ import annotations

import pytest

from actors_rs import ActorSystem
from stress.stalls import written_down
from stress.yields import recorded
from tests.graph.endings import ENDINGS, end_many
from tests.runtime.support import no_thread_left

EACH = 334


@pytest.mark.timeout(600)
@pytest.mark.parametrize("how", ENDINGS)
def test_each_of_a_thousand_graphs_ends_within_a_second_and_loses_nothing(how: str) -> None:
    with no_thread_left(), recorded() as flight:
        with ActorSystem(workers=4, window=64) as system, written_down(system, how, flight):
            for first in range(0, EACH, 50):
                end_many(system, range(first, min(first + 50, EACH)), how, seconds=1.0)
