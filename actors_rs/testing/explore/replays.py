"""The outcomes of the traces that one test has replayed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from actors_rs.testing.decisions import TraceMisfit

__all__ = ["Replays"]


@dataclass
class Replays:
    """A test may explore several graphs, in a row or drawn at random: a trace fits one of them.

    So a trace that does not fit is passed over. If no graph has fitted, the end of the test fails.
    """

    passed: int = 0
    failed: int = 0
    misfits: list[TraceMisfit] = field(default_factory=list)

    @contextmanager
    def counted(self, origin: str, why: str = "") -> Iterator[None]:
        """Around a replay of a trace from ``origin``, kept for ``why``; takes one that misfits."""
        note = f"the trace is from {origin}"
        try:
            yield
        except TraceMisfit as misfit:
            misfit.add_note(note)
            self.misfits.append(misfit)
        except BaseException as error:
            self.failed += 1
            error.add_note(f"{note}, kept for: {why}" if why else note)
            raise
        else:
            self.passed += 1

    def check(self, *, asked: bool) -> None:
        """Raise ``TraceMisfit`` if there were traces, and all of something else.

        A trace that was ``asked`` for must fit. A kept trace need not if graphs are drawn at
        random: its graph may not have been among them.
        """
        if self.passed or self.failed or not self.misfits:
            return
        drawn = len({misfit.graph for misfit in self.misfits}) > 1
        if asked or not drawn:
            raise min(self.misfits, key=lambda misfit: misfit.graph != "")  # the closest one
