"""One run of one graph of the table, with all that must hold."""

from __future__ import annotations

import gc
import logging
import random
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

from actors_rs import ActorSystem
from actors_rs.errors import RunCancelled
from actors_rs.testing.leaks import LeakWatch, no_leaks
from stress.graphs import Load, Row
from stress.settings import Settings
from stress.stalls import written_down
from stress.yields import injected

__all__ = ["Case", "quiet", "run_case"]

SECONDS = 60.0
"""After which a run counts as standing still; stretched by the dilation."""
MESSAGES = 6_000
"""What a run may cost: elements times stages times frames for each element."""


@dataclass(frozen=True)
class Case:
    """A graph of the table, and under what it runs."""

    row: Row
    workers: int
    throughput: int
    window: int

    def __str__(self) -> str:
        return f"{self.row}-{self.workers}w-{self.throughput}t-window{self.window}"

    @property
    def count(self) -> int:
        """Elements of each source: few where each is a message of its own, but some in any case."""
        each = MESSAGES * min(self.window, 64) // self.row.stages
        return max(40, min(each, 20_000))


@contextmanager
def quiet() -> Iterator[None]:
    """Fail if a thread dies of an exception, or anything is logged as an error, in this block."""
    said: list[str] = []
    handler = logging.Handler(logging.ERROR)
    handler.emit = lambda record: said.append(record.getMessage())  # type: ignore[method-assign]
    before = threading.excepthook
    threading.excepthook = lambda args: said.append(
        f"thread {args.thread} died: {args.exc_value!r}"
    )
    logging.getLogger().addHandler(handler)
    try:
        yield
    finally:
        threading.excepthook = before
        logging.getLogger().removeHandler(handler)
    assert not said, said[:5]


def run_case(case: Case, settings: Settings) -> None:
    """Run it, to its end or to a random moment at which it is cancelled, and judge."""
    dice = random.Random(f"{settings.seed} {case}")
    yields = injected(settings.yield_p, dice.getrandbits(32))
    with yields as flight, quiet(), no_leaks() as leaks:
        with ActorSystem(
            workers=case.workers,
            throughput=case.throughput,
            window=case.window,
            monitor=True,
            shutdown_timeout=settings.stretched(SECONDS),
        ) as system:
            with written_down(system, str(case), flight):
                _run(case, settings, system, leaks, dice)
        del system
        gc.collect()


def _run(
    case: Case,
    settings: Settings,
    system: ActorSystem,
    leaks: LeakWatch,
    dice: random.Random,
) -> None:
    load = Load(system, case.count)
    run = system.start(case.row.build(load))
    leaks.expect_collected(run, *system.children())
    cancelled = dice.random() < 0.25
    if cancelled:
        run.wait(dice.random() ** 3 * 0.2)
        run.cancel()
    assert run.wait(settings.stretched(SECONDS)), f"{run!r} stands still"
    ended = _outcome(run)
    load.check(complete=ended == "completed")
    if not cancelled:
        assert ended == "completed"
        assert not system.dead_letters.total, system.dead_letters.recent()[:5]


def _outcome(run: Any) -> str:
    """How it ended; raises its failure if it has one."""
    with suppress(RunCancelled):
        run.result(0)
    return str(run.state)
