"""A short code for each error that users meet, and the explanation that the code leads to.

``actors-rs explain ARS-017`` prints an explanation. ``code_of`` finds the code of an error's class.
A code never changes its meaning, and a code of an error that has gone is not given away again.
"""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["EXPLANATIONS", "Explanation", "code_of", "explained"]


class Explanation(NamedTuple):
    """What an error means, and what its reader should do."""

    name: str
    """The name of the class."""
    means: str
    """What happened, and what became of the run."""
    remedy: str
    """What to do next."""
    page: str
    """The page of the documentation with more."""


EXPLANATIONS = {
    "ARS-001": Explanation(
        "InvalidArgumentError",
        "A number or an option lies outside its range. Nothing was started.",
        "The message has the argument, the expected range and the actual value. Correct the call.",
        "guide.md",
    ),
    "ARS-002": Explanation(
        "ArgumentTypeError",
        "An argument has the wrong type: a value instead of a function, a coroutine function "
        "where nothing awaits it, or a text instead of a number. Nothing was started.",
        "Correct the call that the message names. To await a function for each element, write "
        "map_async(f) instead of map(f).",
        "guide.md",
    ),
    "ARS-003": Explanation(
        "GraphError",
        "The blueprint cannot run: an outlet feeds two inlets, an end is open, or no sink is "
        "there. Nothing was started.",
        "The message names the line that made each stage. To use a stream twice, write "
        "broadcast(2). To end a stream, write .to(Sink...). print(graph) shows an outline.",
        "guide.md",
    ),
    "ARS-004": Explanation(
        "IllegalStateError",
        "The called object has shut down, or its life does not allow the call: a hub whose last "
        "subscriber has cancelled, or a system after its shutdown.",
        "Make a new system, hub or run. A hub with keep_alive=True waits for further subscribers.",
        "shutdown.md",
    ),
    "ARS-005": Explanation(
        "LedgerError",
        "The ledger belongs to another plan, another process holds it, or the file is no ledger. "
        "The run did not begin.",
        "Another plan: undo the change that the message names (of the query, a file or a setting) "
        "to go on; to begin again, give Ledger(...) a new path and the sink an empty output. "
        "Another process: wait until it has ended. No ledger: give the path of another file. "
        "actors-rs status LEDGER shows what a ledger contains.",
        "delivery.md",
    ),
    "ARS-006": Explanation(
        "MissingExtraError",
        "The feature needs an optional library that is not installed.",
        "Run the command in the message, for instance: pip install 'actors-rs[spark]'.",
        "start/install.md",
    ),
    "ARS-007": Explanation(
        "BlockingError",
        "A thread that must not wait was about to wait: a thread of the pool, or the thread of a "
        "running event loop. Waiting there could leave no thread to compute the answer.",
        "The message has the code to write. In a coroutine await the run, the future or "
        "put_async. In an actor use tell, await in an async def handler, or set dispatcher = "
        "'pinned'. In a stage call the function with map_async.",
        "guide.md",
    ),
    "ARS-008": Explanation(
        "WorldError",
        "A deterministic world met something it cannot control: a real thread, the real clock, "
        "or a wait for a run of another system.",
        "Start the run with world.start, sleep with world.sleep, and replace the part that has "
        "threads of its own.",
        "testing.md",
    ),
    "ARS-009": Explanation(
        "NondeterminismError",
        "A world made the same decisions twice and got two different runs. The message shows the "
        "first difference.",
        "Look for random numbers, the iteration order of sets, id() or the real clock in your "
        "functions. Use world.pick and world.now.",
        "testing.md",
    ),
    "ARS-010": Explanation(
        "ProtocolViolation",
        "A Publisher or a Subscriber broke a rule of Reactive Streams. The message has the number "
        "of the rule and the signals. The stream has ended.",
        "Correct the foreign Publisher or Subscriber. actors-rs tck package.module:factory tests "
        "a Publisher against all rules.",
        "rules.md",
    ),
    "ARS-011": Explanation(
        "RestartLimitError",
        "A supervisor restarted a child as often as it may, and the child failed again. The "
        "failure went to the next supervisor.",
        "The cause is chained. Correct it, or allow more restarts: max_restarts, within, backoff.",
        "supervision.md",
    ),
    "ARS-012": Explanation(
        "DefectError",
        "The library broke its own promise. The fault is in actors_rs, not in your code.",
        "Please report the traceback and the versions of actors_rs and Python.",
        "reliability.md",
    ),
    "ARS-013": Explanation(
        "StageError",
        "A function of yours raised, or a stage failed in another way. The run ended: elements "
        "before the failure were delivered, and upstream was cancelled.",
        "The message has the stage, the number of the element and the line that made the stage; "
        "the original exception is __cause__. To go on after a bad element, write "
        ".on_failure('resume') after the stage: the element becomes a dead letter.",
        "supervision.md",
    ),
    "ARS-014": Explanation(
        "DeciderError",
        "A decider raised, or returned no policy. The stage failed with the original error.",
        "Return 'stop', 'resume' or 'restart' from the decider for each exception.",
        "supervision.md",
    ),
    "ARS-015": Explanation(
        "CallTimeout",
        "A call of map_async or map_processes took longer than its timeout.",
        "Allow more time, retry the call (retry=Backoff(...)), give an element in its place "
        "(fallback=f), or go on without the element: .on_failure('resume'). Give the function a "
        "timeout of its own as well.",
        "guide.md",
    ),
    "ARS-016": Explanation(
        "AbandonedCallsError",
        "More timed-out calls than max_abandoned have not returned. Each one holds a thread, "
        "since Python cannot end a thread.",
        "Give the function a timeout of its own, as httpx and requests have, or make it a "
        "coroutine function, which can be cancelled.",
        "guide.md",
    ),
    "ARS-017": Explanation(
        "Stalled",
        "Nothing in the run can move, and nothing outside can move it: each stage waits for "
        "another one. The message names the stages and the links.",
        "Break the circle: put buffer(n) into the faster branch, give a loop more room "
        "(Feedback(n)), or run each group of group_by. If the run waits for code of yours, "
        "set stall_after=seconds.",
        "guide.md",
    ),
    "ARS-018": Explanation(
        "CallExitError",
        "A call raised SystemExit, KeyboardInterrupt or another exception that is no Exception, "
        "on a thread or process that it shares with other calls.",
        "Raise an Exception in functions of stages. To end the run, use a KillSwitch.",
        "supervision.md",
    ),
    "ARS-019": Explanation(
        "WriteError",
        "A sink could not write the file that the message names. The unfinished file is gone, "
        "and earlier files are unchanged.",
        "The original exception is __cause__: free the disk, correct the path or its rights, "
        "or correct the row. Then run again.",
        "reliability.md",
    ),
    "ARS-020": Explanation(
        "ReadError",
        "A source could not read the file and the line that the message names. Elements before "
        "that line were delivered.",
        "The original exception is __cause__. Write on_bad_row='skip' for bad rows of CSV or JSON "
        "lines, encoding=... for another text encoding, compression=... for a file without suffix.",
        "guide.md",
    ),
    "ARS-021": Explanation(
        "SlowSubscriberError",
        "A subscriber of a hub with on_slow='fail' requested too few elements to keep up.",
        "Let the subscriber request more, give the hub a larger replay, or use on_slow='drop' or "
        "'backpressure'.",
        "guide.md",
    ),
    "ARS-022": Explanation(
        "WorkerDied",
        "A call of map_processes killed its worker process, each time it was made. The message "
        "has the exit code or the signal.",
        "Look for a crash in native code, or for too little memory (signal 9). To go on without "
        "the element, write .on_failure('resume').",
        "scaling.md",
    ),
    "ARS-023": Explanation(
        "EmptyStreamError",
        "The stream completed without the element that first, last, min or another stage needs.",
        "Give a value for an empty stream: default_if_empty(value) before the stage.",
        "operators.md",
    ),
    "ARS-024": Explanation(
        "EndOfStreamError",
        "A SinkQueue was asked for an element after its stream had completed.",
        "Loop over the queue instead, or catch the error as the end of the stream.",
        "interop.md",
    ),
    "ARS-025": Explanation(
        "RunCancelled",
        "The run was cancelled before it completed: by cancel(), by an exception in a with "
        "block, by a signal, or at the end of the process.",
        "Use drain() instead of cancel() to deliver the elements in flight.",
        "shutdown.md",
    ),
    "ARS-026": Explanation(
        "RunTimeout",
        "run(timeout=...) took longer than allowed, and the run was cancelled. The message names "
        "the stages that had not ended.",
        "Allow more time, or look for the slow stage with run.snapshot() or the page.",
        "observability.md",
    ),
    "ARS-027": Explanation(
        "StreamTimeoutError",
        "Elements, demand or the end of the stream did not come in the time that a timeout "
        "operator allows.",
        "Allow more time, or handle the failure: recover, recover_with or restart.",
        "operators.md",
    ),
    "ARS-028": Explanation(
        "BufferOverflowError",
        "A producer was faster than its consumer, and a buffer with overflow='fail' was full.",
        "Choose a larger buffer, or another overflow: 'backpressure', 'drop_oldest', "
        "'drop_newest' or 'drop_all'.",
        "guide.md",
    ),
    "ARS-029": Explanation(
        "JoinOverflowError",
        "More elements than max_held lie within the time of a join.",
        "Hold more (max_held), or pair within less time (within).",
        "guide.md",
    ),
    "ARS-030": Explanation(
        "TooManyKeysError",
        "aggregate_by met more keys than max_keys.",
        "Hold more (max_keys), or choose on_overflow='emit_oldest' or 'drop'. A key with many "
        "values, such as a time stamp, is often a mistake.",
        "guide.md",
    ),
    "ARS-031": Explanation(
        "TooManyGroupsError",
        "group_by met more keys than max_groups, and on_overflow='fail' is set.",
        "Allow more groups, set idle_timeout, or choose another on_overflow.",
        "guide.md",
    ),
    "ARS-032": Explanation(
        "SparkPartitionError",
        "A Spark job for a partition failed. The message has the number of the partition and "
        "Spark's error class.",
        "Correct the query or the function. To try a partition again, set max_attempts; to go on "
        "without it, on_poison='dead_letter'. If a Python worker has crashed, set "
        "spark.python.worker.faulthandler.enabled to true for its traceback.",
        "reliability.md",
    ),
    "ARS-033": Explanation(
        "SparkSessionLost",
        "The session was stopped, or its JVM has died, while a stream was reading from it.",
        "Look into Spark's log for the reason, often too little memory. Make a new session. A "
        "run with a ledger goes on where it was: `actors-rs run` ends with exit code 75, and the "
        "same command goes on.",
        "reliability.md",
    ),
}
"""Code -> explanation."""

_CODES = {explanation.name: code for code, explanation in EXPLANATIONS.items()}


def code_of(kind: type[BaseException]) -> str:
    """The code of an error's class, or of the nearest class it inherits from; else empty."""
    return next((_CODES[base.__name__] for base in kind.__mro__ if base.__name__ in _CODES), "")


def explained(code: str) -> str | None:
    """The explanation of ``code``, in lines for a terminal; ``None`` if there is no such code."""
    found = EXPLANATIONS.get(code.upper())
    if found is None:
        return None
    return "\n\n".join(
        (f"{code.upper()}  {found.name}", found.means, f"What to do: {found.remedy}")
    ) + (f"\n\nMore in the documentation: {found.page}")
