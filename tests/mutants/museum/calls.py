"""Bugs of calls that have a time, and of those that are made again."""

from tests.mutants.mutant import mutant

MAP_ASYNC = "stages.operators.map_async:MapAsync"

MUTANTS = (
    mutant(
        "a call in time has no end",
        "a call whose time is up keeps its place",
        f"{MAP_ASYNC}._time_is_up",
        "self._finish_and_leave(again, None, error)",
        "self._finish(again, None, error)",
        "rates/map_async in time",
    ),
    mutant(
        "time and result",
        "a call that returns when its time is up is ended twice",
        "stages.calls.call:Call.ended_by",
        'ended_by.setdefault("", who) == who',
        'bool(ended_by.setdefault("", who))',
        "rates/time or result",
    ),
    mutant(
        "a time that outlives the stage",
        "the timers of calls are not cancelled",
        "stages.calls.limit:CallLimit.stop",
        "timer.cancel()",
        "timer",
        "rates/map_async in time",
    ),
    mutant(
        "retrying for ever",
        "attempts are not counted",
        "stages.calls.retries:Retries.again_in",
        "if attempts >= self._max_attempts or",
        "if",
        "rates/given up",
    ),
    mutant(
        "a retry that is never made",
        "a call that waits for its retry is not made again",
        f"{MAP_ASYNC}._rested",
        "self._waiting.append(call)",
        "call.attempts",
        "rates/tried again",
    ),
    mutant(
        "a budget that is never used up",
        "calls are repeated beyond the budget",
        "stages.calls.retries:Retries.again_in",
        "if self._budget is not None and not self._budget.take(1, now):",
        "if self._budget is not None and not self._budget.take(0, now) and self.refused:",
        "rates/beyond budget",
    ),
    mutant(
        "a wait that goes on after the end",
        "the timers of calls that wait for a retry are not cancelled",
        f"{MAP_ASYNC}.stop",
        "timer.cancel()",
        "timer",
        "rates/cancelled while it rests",
    ),
)
