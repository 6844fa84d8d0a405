"""Ends of streams, and reports about them: methods of ``Flow``."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from actors_rs.engine.run.kill_switch import KillSwitch
from actors_rs.graph.checks import (
    optional_plain_function,
    plain_function,
    positive_seconds,
    wrong_kind,
)
from actors_rs.language.methods.chain import Chain
from actors_rs.stages.operators.kill_switch import KillSwitchStage
from actors_rs.stages.operators.monitor import Monitor, StreamState
from actors_rs.stages.operators.on_termination import OnTermination
from actors_rs.texts import repr_of

if TYPE_CHECKING:
    from actors_rs.language.flow import Flow

__all__ = ["LifeCycle"]

In_contra = TypeVar("In_contra", contravariant=True)
Out_co = TypeVar("Out_co", covariant=True)


class LifeCycle(Chain[In_contra, Out_co]):
    """Ends from outside, and reports to outside. The functions must be short and not block."""

    def kill_switch(self, switch: KillSwitch) -> Flow[In_contra, Out_co]:
        """This stream until ``switch`` is used, which other streams may have too.

        >>> switch = KillSwitch()
        >>> switch.shutdown()
        >>> Source.never().kill_switch(switch).run(Sink.list())
        []
        """
        if not isinstance(switch, KillSwitch):
            raise wrong_kind(f"kill_switch needs a KillSwitch, got {repr_of(switch)}")
        return self.then("kill_switch", partial(KillSwitchStage, switch))

    def on_termination(
        self, f: Callable[[BaseException | None], object]
    ) -> Flow[In_contra, Out_co]:
        """Call ``f`` once when the stream has ended here: with its error, else with ``None``.

        A cancelled stream ends with ``None`` unless downstream failed. ``f`` has returned before
        the run ends; if it raises, the run fails.

        >>> ends = []
        >>> Source.of("a").on_termination(ends.append).run(Sink.list())
        ['a']
        >>> ends
        [None]
        """
        plain_function(f, "on_termination: f")
        return self.then("on_termination", partial(OnTermination, f))

    def monitor(
        self, f: Callable[[StreamState], object] | None = None, every: float = 1.0
    ) -> Flow[In_contra, Out_co]:
        """Report the state of the stream to ``f``: at its start and end, and news in between.

        ``f`` gets a ``StreamState``, at most once in ``every`` seconds (1.0), and only if elements
        passed. Without ``f`` the state is in ``run.snapshot()``, in the stage's ``details``.

        >>> states = []
        >>> Source.of("a", "b").monitor(states.append).run(Sink.count())
        2
        >>> states[-1].state, states[-1].elements
        ('completed', 2)
        """
        optional_plain_function(f, "monitor: f")
        seconds = positive_seconds(every, "monitor: every")
        return self.then("monitor", partial(Monitor, f, seconds))
