# mypy: disable-error-code="var-annotated"
"""What tests of this folder share: somebody who acknowledges, systems of several windows."""

import threading
from collections import Counter

import pytest

from actors_rs import ActorSystem
from tests.graph.helpers import SECONDS


class Acks:
    """Notes what was acknowledged, with which outcomes."""

    def __init__(self):
        self.lock = threading.Lock()
        self.got = {}

    def __call__(self, element, outcomes):
        with self.lock:
            assert element not in self.got, "acknowledged twice"
            self.got[element] = dict(outcomes)

    @property
    def counts(self):
        return Counter(sum(one.values()) for one in self.got.values())


@pytest.fixture
def acks():
    return Acks()


@pytest.fixture(params=[1, 7, 4096])
def system(request):
    with ActorSystem(workers=2, window=request.param, shutdown_timeout=SECONDS) as system:
        yield system
