"""``race``: two calls at the same moment, over and over."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable

__all__ = ["race"]

LOOPS = 2_500
MOST_SPINS = 200


class _Rival(threading.Thread):
    """The other thread: makes one call each time it is let go."""

    def __init__(self) -> None:
        super().__init__(name="rival", daemon=True)
        self.call: Callable[[], object] | None = None
        self.go, self.made = threading.Semaphore(0), threading.Semaphore(0)
        self.failure: BaseException | None = None

    def run(self) -> None:
        while self.go.acquire() and (call := self.call) is not None:
            try:
                call()
            except BaseException as error:
                self.failure = error
            self.call = call = None
            self.made.release()


def race(
    f: Callable[[], object],
    g: Callable[[], object],
    loops: int = LOOPS,
    *,
    before: Callable[[], object] = lambda: None,
    after: Callable[[], object] = lambda: None,
    seed: int = 0,
) -> None:
    """Call ``f`` and ``g`` at the same moment, ``loops`` times, each on a thread of its own.

    ``before`` prepares and ``after`` judges each of them, both on the calling thread. Which of the
    two has a head start, and how large it is, is drawn anew each time. Raises what a call raised.
    """
    dice, rival = random.Random(seed), _Rival()
    rival.start()
    try:
        for _ in range(loops):
            before()
            mine, others = (f, g) if dice.random() < 0.5 else (g, f)
            rival.call = others
            rival.go.release()
            for _ in range(dice.randrange(MOST_SPINS)):
                pass
            mine()
            assert rival.made.acquire(timeout=60), "a call does not return"
            if rival.failure is not None:
                raise rival.failure
            after()
    finally:
        rival.call = None
        rival.go.release()
        rival.join(60)
