"""Flow.from_sink_and_source(sink, source)

in:     1 2 3 |
sink:   1 2 3 |
source:  a   b c |
out:     a   b c |

A flow whose input goes to a sink, and whose elements come from a source: two streams that pass one
place. With ``coupled=True`` the end of one ends the other one.

Back-pressure: asks upstream for what the sink asks for, the source for what downstream does.
Completes: downstream, when the source has; the sink, when the input has. Coupled: both, with the
  first of the two.
Fails: downstream, when the source has failed; the sink, when the input has. Coupled: both.
Cancels: the source, when downstream cancels; upstream, when the sink has had enough. Coupled: all.
"""

from __future__ import annotations

from actors_rs.stages.ports import Inlet, Outlet
from actors_rs.stages.stage import Budget, StageLogic


class SinkAndSource(StageLogic):
    """Inlet 0 to outlet 1, the sink's; inlet 1, the source's, to outlet 0, which leads on."""

    def __init__(self, coupled: bool) -> None:
        self.inlets = (Inlet("in"), Inlet("source"))
        self.outlets = (Outlet("out"), Outlet("sink"))
        self._coupled = coupled

    def advance(self, budget: Budget) -> None:
        taken, given = self.inlets
        out, sink = self.outlets
        for inlet, outlet in ((taken, sink), (given, out)):
            self._pass(inlet, outlet)
            if outlet.closed and self._coupled:
                self.end(inlet.error or outlet.cause)
                return

    def _pass(self, inlet: Inlet, outlet: Outlet) -> None:
        if outlet.cancelled:
            inlet.cancel(outlet.cause)
        if outlet.demand:
            inlet.open()
        while inlet.buffered and outlet.demand:
            outlet.emit(inlet.take(outlet.demand))
        if inlet.exhausted and inlet.error is not None:
            outlet.fail(inlet.error)
        elif inlet.exhausted:
            outlet.complete()
