"""Ten thousand actors at a time, on one worker and on two."""

from __future__ import annotations

import threading
from concurrent.futures import Future
from typing import Any

import pytest

from actors_rs import ActorSystem, PooledActor, Source
from actors_rs.testing.leaks import no_leaks
from stress.elements import Ledger, element, is_intact
from stress.graphs import keep
from stress.running import quiet
from stress.settings import Settings
from stress.stalls import written_down
from stress.yields import injected

ACTORS = 10_000
STAGES = 5
ROUNDS = 3


class Passing(PooledActor):
    """Hands a token on to the next one; the first one counts the rounds."""

    def __init__(self, over: threading.Event) -> None:
        super().__init__()
        self.over = over
        self.next: Any = None
        self.is_first = False

    def on_receive(self, message: Any) -> None:
        if not isinstance(message, int):
            self.next, self.is_first = message
        elif message == ROUNDS:
            self.over.set()
        else:
            self.next.tell(message + self.is_first)


def gated(ledger: Ledger, number: int, gate: Future[None]) -> Any:
    """A source, two stages of it, that gives nothing before the gate is open."""
    ledger.sources[number] = ledger.count
    elements = [element(number, n) for n in range(ledger.count)]
    return Source.from_future(gate).flat_map(lambda _: elements)


@pytest.mark.timeout(900)
@pytest.mark.parametrize("workers", [1, 2])
def test_10_000_living_stages_complete(workers: int, settings: Settings) -> None:
    with injected(settings.yield_p / 10, settings.seed) as flight, quiet(), no_leaks():
        with (
            ActorSystem(workers=workers, window=4) as system,
            written_down(system, f"many-stages-{workers}w", flight),
        ):
            ledger, gate, runs = Ledger(20), Future[None](), []
            for number in range(ACTORS // STAGES):
                flow = gated(ledger, number, gate).map(keep).filter(is_intact)
                runs.append(system.start(flow.to(ledger.tally(copies=None).sink())))
            assert len(system.children()) == ACTORS
            gate.set_result(None)
            for run in runs:
                assert run.result(settings.stretched(300)) == ledger.count
            ledger.check(complete=True)


@pytest.mark.timeout(900)
@pytest.mark.parametrize("workers", [1, 2])
def test_a_token_goes_round_a_ring_of_10_000_living_actors(
    workers: int, settings: Settings
) -> None:
    over = threading.Event()
    with injected(settings.yield_p / 10, settings.seed) as flight, quiet(), no_leaks():
        with (
            ActorSystem(workers=workers) as system,
            written_down(system, f"ring-{workers}w", flight),
        ):
            refs = [system.spawn(Passing, over) for _ in range(ACTORS)]
            for number, ref in enumerate(refs):
                ref.tell((refs[(number + 1) % ACTORS], number == 0))
            refs[1].tell(0)
            assert over.wait(settings.stretched(300))
            assert len(system.children()) == ACTORS
