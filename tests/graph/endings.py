# mypy: disable-error-code="var-annotated"
"""Random graphs that are drained, cancelled or aborted at a random moment, and the books of it.

What a source gave is delivered, in the dead letters, or still upstream: held by a stage, or counted
as dropped on a link. The books are those of ``run.snapshot()``.
"""

import gc
import weakref
from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import Any

from actors_rs import Sink
from actors_rs.errors import RunCancelled
from tests.graph.helpers import wait_until
from tests.graph.random_graphs import KINDS, Maker

SIZES = (5, 100, 400, 900)


class AbortedError(Exception):
    """What an aborted run ends with."""


ENDINGS = {
    "drain": lambda run: run.drain(),
    "cancel": lambda run: run.cancel(),
    "abort": lambda run: run.abort(AbortedError()),
}


class Ended:
    """One graph: started, ended in one of three ways at a random moment, and looked at."""

    def __init__(self, system, seed, how, seconds):
        self.how = how
        self.delivered = []
        made = Maker(seed, self.sink, (*KINDS, "resume", "map"), SIZES)
        self.expected, self.lost = made.expected, made.lost
        moment = made.draw.random() ** 2 * made.expected.total()
        letters = system.dead_letters.total
        run = system.start(made.graph())
        self.actors = [weakref.ref(actor) for actor in system.children()]
        wait_until(lambda: run.done() or len(self.delivered) >= moment)
        ENDINGS[how](run)
        assert run.wait(seconds), f"seed {seed}: {how} took more than {seconds} s"
        wait_until(lambda: not system.children())
        self.state = run.state
        self.error = run._end.error
        self.snapshot = run.snapshot()
        self.dead = Counter(
            letter.what for letter in system.dead_letters.recent() if letter.number >= letters
        )

    def sink(self):
        return Sink.for_each(self.delivered.append)

    def check(self):
        """That the books are right."""
        self._check_state()
        self._check_links()
        self._check_elements()

    def _check_state(self):
        if self.state == "completed":
            return
        assert self.state == {"cancel": "cancelled", "abort": "failed"}[self.how]
        assert isinstance(self.error, RunCancelled | AbortedError)

    def _check_links(self):
        """What was sent was taken, or dropped since nobody wanted it any more."""
        into, out_of = defaultdict(int), defaultdict(int)
        for link in self.snapshot.links:
            assert (link.buffered, link.closed) == (0, True), link
            if self.state == "completed":
                assert link.dropped == 0, link
            into[link.downstream] += link.elements
            out_of[link.upstream] += link.elements + link.dropped
        for stage in self.snapshot.stages:
            assert stage.elements_in == into[stage.name], stage
            assert stage.elements_out == out_of[stage.name], stage
            assert stage.mailbox == 0
            held = stage.elements_in - stage.elements_out - stage.resumed
            if stage.kind in ("map", "map_async", "merge", "partition") and stage.elements_in:
                assert held == 0 if self.state == "completed" else held >= 0, stage
        assert len(self.delivered) == sum(into[stage.name] for stage in self._sinks())

    def _check_elements(self):
        """Nothing twice, nothing from nowhere; when it was drained, nothing missing."""
        produced = self._produced()
        expected = Counter({n: c for n, c in self.expected.items() if n in produced})
        lost = Counter({n: c for n, c in self.lost.items() if n in produced})
        delivered = Counter(self.delivered)
        assert delivered <= expected
        assert self.dead <= lost
        if self.state == "completed":
            assert delivered == expected
            assert self.dead == lost

    def _produced(self):
        """Sources give their numbers in order, so their count tells which."""
        produced = set()
        for stage in self.snapshot.stages:
            if stage.name.startswith("source "):
                first = int(stage.name.split()[1]) * 1000
                produced.update(range(first, first + stage.elements_out))
        return produced

    def _sinks(self):
        return [stage for stage in self.snapshot.stages if stage.kind == "for_each"]


def end_many(system: Any, seeds: Iterable[int], how: str, seconds: float) -> Any:
    """Do it for each of ``seeds``; none of their actors is left, nor a reference to it."""
    ended = [Ended(system, seed, how, seconds) for seed in seeds]
    for one in ended:
        one.check()
    gc.collect()
    left = [ref for one in ended for ref in one.actors if ref() is not None]
    wait_until(lambda: gc.collect() is None or all(ref() is None for ref in left))
    assert system.statistics().runs == system.statistics().actors == 0
    return Counter(one.state for one in ended)
