"""recover_with(stream, attempts=2)

in:      1 2 X
stream:        8 X        (each time it is started)
out:     1 2   8   8 X

Goes on with the stream when upstream fails, and again when that stream fails, so many times. A
recovered failure is not a failure of the run. One use is to start a failed source again.

Back-pressure: hands on what downstream asks for, to upstream and then to the stream.
Completes: when upstream completes, or the stream does.
Fails: when the stream fails and no attempt is left, or the function that makes the stream raises.
If it raises the error it was given, the stream fails as if the function were not there.
Cancels: whichever of the two is running.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from actors_rs.stages.inner.logic import InnerInlet
from actors_rs.stages.operators.catch import Catch


class RecoverWith(Catch):
    """Upstream, then what ``f`` gives for its error, then what it gives for that one's error."""

    def __init__(self, f: Callable[[Exception], Any], attempts: int) -> None:
        super().__init__(f)
        self._attempts = attempts

    def _leave(self, error: BaseException | None) -> None:
        if not isinstance(error, Exception) or not self._attempts:
            self.end(error)
            return
        try:
            stream = self._f(error)
        except Exception as raised:
            if raised is not error:
                raise
            self.end(error)
            return
        self._attempts -= 1
        ended = self._current
        self._current = self._in_place_of(error, stream, forgiving=self._attempts > 0)
        if isinstance(ended, InnerInlet):
            self.forget(ended)

    def details(self) -> dict[str, object]:
        return {**super().details(), "attempts_left": self._attempts}
