"""Explorations of tests/explored that are no scenarios, in more orders; each round has others."""

import pytest

from actors_rs.testing.explore.settings import SETTINGS
from tests.explored.test_fused_graphs import (
    test_a_fused_row_behind_a_free_publisher_takes_each_element_once_in_order as test_fused_row,
)
from tests.explored.test_fused_graphs import (
    test_lists_and_views_within_a_row_have_each_element_once_in_order as test_lists_and_views,
)
from tests.explored.test_inner_streams import *  # noqa: F403
from tests.explored.test_linear import (
    test_a_processor_between_free_peers_loses_nothing as test_processor,
)
from tests.explored.test_sections import *  # noqa: F403

RUNS = 2_000

__all__ = ["test_fused_row", "test_lists_and_views", "test_processor"]


@pytest.fixture(autouse=True)
def many_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """As many as `RUNS`, unless the command line says how many; its seed says which."""
    if SETTINGS.runs is None:
        monkeypatch.setattr(SETTINGS, "runs", RUNS)
