"""Bugs of what comes into a stream from outside, and of what is told of it."""

from tests.mutants.mutant import mutant

QUEUE = "engine.run.source_queue:SourceQueue"

MUTANTS = (
    mutant(
        "a queue tells once",
        "the stage is woken for the first element that is handed in, and for no other",
        f"{QUEUE}.end",
        "self._told = self._told and bool(self._waiting)",
        "self._told = True",
        "entries/handed in late",
    ),
    mutant(
        "a queue ends before what waits",
        "the stream completes as soon as nothing more comes in",
        f"{QUEUE}.end",
        "self._completed and not self._waiting",
        "self._completed",
        "entries/handed in",
    ),
    mutant(
        "a queue takes more than it holds",
        "the capacity is counted from zero",
        f"{QUEUE}._put_in",
        "if len(self._waiting) >= self.capacity and not self._make_room():",
        "if len(self._waiting) > self.capacity and not self._make_room():",
        "entries/more than it holds",
    ),
    mutant(
        "a queue drops uncounted",
        "what makes room for a newer element is not counted",
        f"{QUEUE}._make_room",
        "self.dropped += len(self._waiting)",
        "len(self._waiting)",
        "entries/dropped by a queue",
    ),
    mutant(
        "a result that wakes nobody",
        "the result of a future is there, and the stage does not look",
        "stages.sources.from_future:_tell",
        'source.context.post(partial(setattr, source, "_done", True))',
        'setattr(source, "_done", True)',
        "entries/a future",
    ),
    mutant(
        "a coroutine that outlives its run",
        "what a run has begun for itself goes on when the run was cancelled",
        "stages.sources.from_future:FutureSource.stop",
        "self._future.cancel()",
        "self._future.done()",
        "entries/a future",
    ),
    mutant(
        "a monitor that tells of nothing",
        "what has been told already is told again, for ever",
        "stages.operators.monitor:Monitor._tell",
        "self._told = count = self.outlet.count",
        "count = self.outlet.count",
        "entries/told of",
    ),
    mutant(
        "a Publisher that nobody takes leave of",
        "what another's Publisher gives is taken as if from nobody, so that nobody cancels it",
        "engine.boundary.foreign_source:PublisherSource.start",
        "self.inlets = (self.inlet,)",
        "self.inlets = ()",
        "entries/from another's publisher",
    ),
    mutant(
        "a Publisher is asked for a window of nothing",
        "the window of the stage is not that of the inlet that another's Publisher feeds",
        "engine.boundary.foreign_source:PublisherSource.start",
        "self.inlet.window = self.window",
        "self.inlet.window = 0",
        "entries/from another's publisher",
    ),
)
