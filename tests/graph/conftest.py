import pytest

from actors_rs import ActorSystem
from tests.graph.helpers import SECONDS


@pytest.fixture(scope="module")
def shared():
    """One system for the property tests of a module."""
    with ActorSystem(workers=2, shutdown_timeout=SECONDS) as system:
        yield system
