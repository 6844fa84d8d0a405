"""Settings of the explorations that are tests of the search itself."""

import pytest

from actors_rs.testing.explore.settings import SETTINGS, Settings


@pytest.fixture
def by_itself(monkeypatch):
    """What is explored here tests the search; it does not count, and no option changes it."""
    for name, value in vars(Settings()).items():
        monkeypatch.setattr(SETTINGS, name, value)
