"""on_termination(f)

    in:  1 2 |
    out: 1 2 |      (f(None); f(error) if the stream failed)

Passes everything on and calls f once when the stream has ended here, in any way.
Back-pressure: passed on.
Completes: when upstream does; then f(None) is called.
Fails: when upstream does; then f(error). If f itself raises, the run fails.
Cancels: at once; f(None) is called, or f(error) if downstream failed.
"""

from __future__ import annotations

from collections.abc import Callable

from actors_rs.stages.passing import PassThrough


class OnTermination(PassThrough):
    """Tells the end of the stream to ``f``, before the run that it belongs to ends."""

    def __init__(self, f: Callable[[BaseException | None], object]) -> None:
        super().__init__()
        self._f = f

    def stop(self, error: BaseException | None) -> None:
        self._f(error if error is not None else self.outlet.cause)
