"""What tests of the runtime share."""

import sys
import threading
from collections.abc import Iterator

import pytest


@pytest.fixture
def switching_often() -> Iterator[None]:
    """Threads switch after 1 µs, so what can go wrong in between does."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.fixture
def may() -> Iterator[threading.Event]:
    """An actor that waits for it goes on when the test has ended, at the latest."""
    event = threading.Event()
    yield event
    event.set()
