"""What tests of the runtime share."""

import sys
from collections.abc import Iterator

import pytest


@pytest.fixture
def switching_often() -> Iterator[None]:
    """Threads switch after 1 µs, so what can go wrong in between does."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)
