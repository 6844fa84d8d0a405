"""Workers of ``map_processes`` that are killed at random, 200 times: nothing is lost or doubled."""

import os
import random
import signal
import threading
import time
from collections import Counter

import pytest

from actors_rs import ActorSystem, Sink, Source
from stress.settings import Settings

KILLS = 200
ELEMENTS = 40_000


class Killer:
    """Kills a worker of ``system`` every now and then, until it has done so ``KILLS`` times."""

    def __init__(self, system: ActorSystem, seed: int) -> None:
        self.kills = 0
        self._system = system
        self._chance = random.Random(seed)
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        pool = self._system.processes.processes  # type: ignore[attr-defined]
        while self.kills < KILLS:
            time.sleep(self._chance.uniform(0.0, 0.1))
            workers = [*pool._busy.copy(), *pool._idle]
            if workers:
                try:
                    os.kill(self._chance.choice(workers).pid, signal.SIGKILL)
                except ProcessLookupError:
                    continue
                self.kills += 1

    def done(self) -> bool:
        """Whether all kills are behind it."""
        return not self._thread.is_alive()


@pytest.mark.timeout(900)
@pytest.mark.parametrize("ordered", [True, False], ids=["ordered", "unordered"])
def test_workers_killed_two_hundred_times_lose_and_double_nothing(
    ordered: bool, settings: Settings
) -> None:
    def f(x: int) -> tuple[int, bytes]:
        for _ in range(2_000):
            pass
        return x, b"." * (2 << 20 if x % 500 == 0 else 20)

    with ActorSystem() as system:
        killer = Killer(system, settings.seed)
        seen: Counter[int] = Counter()
        last = 0
        while not killer.done():
            numbers = Source.range(last, ELEMENTS)
            got = system.start(
                numbers.map_processes(f, 2, ordered=ordered)
                .map(lambda pair: pair[0])
                .to(Sink.list())
            ).result(600)
            assert not ordered or got == list(range(last, last + ELEMENTS))
            seen.update(got)
            last += ELEMENTS
        died = system.processes.figures()["workers_died"]
    assert seen == Counter(range(last))
    assert killer.kills == KILLS
    assert died > KILLS / 2, "kills hit workers that were dead already"
    print(f"{killer.kills} kills, {died} workers died, {last:,} elements")
