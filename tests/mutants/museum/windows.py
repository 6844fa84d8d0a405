"""Bugs of windows in time."""

from tests.mutants.mutant import mutant

WINDOWS = "stages.operators.aggregate_windows:AggregateWindows"

MUTANTS = (
    mutant(
        "the fastest stream says what time it is",
        "the watermark of several inputs is the greatest one",
        "stages.windows.watermarks:Watermarks._move",
        "min(awake, default=-inf)",
        "max(awake, default=-inf)",
        "windows/windows of two streams",
    ),
    mutant(
        "an element that is late is lost",
        "a late element is counted and goes nowhere",
        f"{WINDOWS}._is_late",
        "self._late.append(element)",
        "len(self._late)",
        "windows/none is lost",
    ),
    mutant(
        "the alarm of windows outlives them",
        "the timer for the next window is not cancelled",
        f"{WINDOWS}.stop",
        "self._alarm.cancel()",
        "self._alarm",
        "windows/cancelled by the clock",
    ),
    mutant(
        "a stream that is idle is waited for",
        "an input without elements holds windows open for ever",
        f"{WINDOWS}._look_at_time",
        "self._move(self._marks.idle(which))",
        "self._marks.of(which)",
        "windows/an idle stream",
    ),
    mutant(
        "an element that a join still needs is forgotten",
        "an element is forgotten when the other side has come to its time",
        "stages.windows.pairs:TimedPairs.came_to",
        "waiting[0][0] + self._within < mark",
        "waiting[0][0] < mark",
        "windows/join",
    ),
    mutant(
        "a join holds up nobody",
        "a stream that is ahead fills the room of the join",
        "stages.operators.join:Join._room",
        "max(room, 0) if self._pairs.ahead() == side else max(room, 1)",
        "max(room, 1)",
        "windows/joined in little room",
    ),
    mutant(
        "a session that joins others ends too early",
        "merged sessions end with the element that joins them",
        "stages.windows.sessions:Sessions.add",
        "max(end, *(one.end for one in met))",
        "end",
        "windows/sessions",
    ),
)
