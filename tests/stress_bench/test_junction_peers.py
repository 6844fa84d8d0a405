"""The junctions' benchmark: its peers run, and are named as the junctions are."""

import pytest

from stress.bench.contestants.junction_peers import PEERS
from stress.bench.junctions import graphs, measure


@pytest.mark.parametrize("peer", PEERS, ids=lambda peer: f"{peer[0]}, {peer[1]}")
def test_a_peer_of_a_junction_runs(peer):
    name, _, run = peer
    assert name in graphs(10)
    run(20)


def test_each_junction_is_measured_at_each_window_and_against_its_peers():
    measured = [(figure.what, figure.against) for figure in measure(0.0001)]
    names = [
        name + more
        for more in ("", ", window 1024", ", window 64", ", window 1")
        for name in graphs(10)
    ]
    expected = [(name, "one generator") for name in names] + [peer[:2] for peer in PEERS]
    assert sorted(measured) == sorted(expected)
