"""Every exception this package raises on purpose.

    ActorsRsError
    ├── UserError                what the caller handed in cannot work
    │   ├── InvalidArgumentError     also a ValueError: a number or option out of its range
    │   │   └── ArgumentTypeError        also a TypeError: not the kind of thing that is needed
    │   ├── GraphError               also a ValueError: a blueprint that cannot run
    │   ├── IllegalStateError        also a RuntimeError: the called object has shut down
    │   ├── LedgerError              a ledger of another plan, of another process, or none at all
    │   ├── MissingExtraError        also an ImportError: an optional library is not installed
    │   ├── BlockingError            a pool thread was about to wait for a future
    │   └── WorldError               a deterministic world met what it cannot hold
    │       └── NondeterminismError      the same decisions made two different runs
    ├── ProtocolViolation        a peer broke a rule of Reactive Streams; names the rule
    ├── RestartLimitError        a supervisor gave up: restarts did not help
    ├── DefectError              this package broke its own promise: please report it
    └── StreamError              a stream ended, but not by completing
        ├── StageError               a stage failed; the cause is chained
        ├── DeciderError             a decider of failures raised, or named no policy
        ├── CallTimeout              also a TimeoutError: a call took longer than it may
        ├── AbandonedCallsError      too many calls that timed out did not return
        ├── CallExitError            a call raised SystemExit or the like, away from its stage
        ├── WriteError               a sink could not write; names the file
        ├── ReadError                a source could not read; names the file and the line
        ├── SlowSubscriberError      a subscriber of a hub lagged too far
        ├── WorkerDied               a call killed the worker process that made it
        ├── EmptyStreamError         also a LookupError: an element was needed, none came
        ├── EndOfStreamError         also an EOFError: a queue gave its last element before
        ├── RunCancelled             the run was cancelled before it completed
        ├── RunTimeout               also a TimeoutError: run(timeout=...) was not over in time
        ├── StreamTimeoutError       also a TimeoutError: a stream was slower than it may be
        ├── BufferOverflowError      a buffer that must not overflow did
        ├── JoinOverflowError        a join holds more elements than it may
        ├── TooManyKeysError         an aggregate_by met more keys than it may hold
        ├── TooManyGroupsError       a group_by met more keys than it may have groups
        └── Stalled                  a stream can make no progress; names the stages that wait

Catch ``ActorsRsError`` for all of them. It does not catch ``pykka.ActorDeadError``,
``LateAnswerError`` (a ``pykka.Timeout``) and ``UnknownName`` (an ``AttributeError``).
"""

from __future__ import annotations

from typing import Any

from actors_rs.error_codes import code_of
from actors_rs.texts import call_note, named, repr_of, text_of

__all__ = [
    "AbandonedCallsError",
    "ActorsRsError",
    "ArgumentTypeError",
    "BlockingError",
    "BufferOverflowError",
    "CallExitError",
    "CallTimeout",
    "DeciderError",
    "DefectError",
    "EmptyStreamError",
    "EndOfStreamError",
    "GraphError",
    "IllegalStateError",
    "InvalidArgumentError",
    "JoinOverflowError",
    "LedgerError",
    "MissingExtraError",
    "NondeterminismError",
    "ProtocolViolation",
    "ReadError",
    "RestartLimitError",
    "RunCancelled",
    "RunTimeout",
    "SlowSubscriberError",
    "StageError",
    "Stalled",
    "StreamError",
    "StreamTimeoutError",
    "TooManyGroupsError",
    "TooManyKeysError",
    "UserError",
    "WorkerDied",
    "WorldError",
    "WriteError",
]


class ActorsRsError(Exception):
    """Root of all exceptions that this package raises on purpose.

    ``stage`` is the name of the stage that failed, ``site`` the line that made it. The text ends
    with both. They are empty where no stage is at fault. Errors can be copied and pickled without
    their ``__cause__``.
    """

    stage: str = ""
    site: str = ""

    @property
    def code(self) -> str:
        """A code such as ``ARS-017``, which ``actors-rs explain ARS-017`` explains."""
        return code_of(type(self))

    def __str__(self) -> str:
        return super().__str__() + self._where()

    def _where(self) -> str:
        """The end of its text: which stage failed with it."""
        made = f", made at {self.site}" if self.site else ""
        return f" (stage '{self.stage}'{made})" if self.stage else ""

    def __reduce__(self) -> tuple[Any, ...]:
        # By default the class is called again, with its text for what the text was made of.
        return _made_again, (type(self), self.args), self.__dict__


def _made_again(kind: type[BaseException], args: tuple[Any, ...]) -> BaseException:
    error = kind.__new__(kind, *args)
    error.args = args  # an OSError with an __init__ of its own has none before that was called
    return error


class UserError(ActorsRsError):
    """An argument or a graph cannot work; nothing was started."""


class InvalidArgumentError(UserError, ValueError):
    """A number or an option lies outside its range."""


class ArgumentTypeError(InvalidArgumentError, TypeError):
    """An argument is not of the kind that is needed: a function that is none, for instance."""


class GraphError(UserError, ValueError):
    """A blueprint cannot run: an outlet used twice, an end left open, no sink."""


class IllegalStateError(UserError, RuntimeError):
    """A service that has shut down was asked: a hub whose last subscriber has cancelled, say."""


class LedgerError(UserError):
    """A ledger cannot be used: of another plan, held by another process, or no ledger."""


class MissingExtraError(UserError, ImportError):
    """A feature needs an optional library that is not installed."""


class BlockingError(UserError):
    """A pool thread, or a coroutine, was about to block: use ``await``, ``pinned`` or ``tell``.

    Not refused: a blocking ``ask`` on your own event loop, and one of pykka's ``ThreadingActor``.
    """


class WorldError(UserError):
    """A deterministic world met what it cannot hold: a real thread, or the real clock."""


class NondeterminismError(WorldError):
    """The same decisions made two different runs; the message shows where they part."""


class ProtocolViolation(ActorsRsError):  # noqa: N818 - the field's own term
    """A peer broke a rule of the Reactive Streams standard.

    ``rule`` is the rule's number, for instance ``"1.1"``. Where a monitor saw it, ``link`` names
    the stages at both ends, and ``signals`` are the earlier and the offending signal, or the latter
    alone. If two signals overlapped in time, ``stacks``, in the same order, say where each came
    from.
    """

    def __init__(
        self,
        rule: str,
        message: str,
        *,
        link: str = "",
        signals: tuple[str, ...] = (),
        stacks: tuple[str, ...] = (),
    ) -> None:
        super().__init__(f"rule {rule}: {message}")
        self.rule = rule
        self.link = link
        self.signals = signals
        self.stacks = stacks


class RestartLimitError(ActorsRsError):
    """A supervisor gave up: more restarts in a time than its strategy allows.

    ``supervisor`` and ``child`` are names; the child's last failure is ``__cause__``.
    """

    def __init__(
        self, supervisor: str, child: str, limit: str, cause: BaseException | None
    ) -> None:
        last = f"failed: {named(cause)}" if cause is not None else "stopped"
        super().__init__(
            f"supervisor '{supervisor}' gave up: more than {limit}; child '{child}' {last}"
        )
        self.supervisor = supervisor
        self.child = child
        self.__cause__ = cause


class DefectError(ActorsRsError):
    """This package broke its own promise; please report it."""


class StreamError(ActorsRsError):
    """A stream ended, but not by completing."""


class StageError(StreamError):
    """A stage failed.

    ``stage`` is the stage's name. ``position`` is the number of elements it had taken before the
    failing one: 0 is the first element, ``None`` means that no element was at fault. ``site`` is
    the line that made the stage, ``others`` are further failures of the same run. The original
    exception is ``__cause__``.
    """

    def __init__(
        self, stage: str, cause: BaseException, position: int | None = None, site: str = ""
    ) -> None:
        where = "" if position is None else f" at element {position}"
        made = f" (made at {site})" if site else ""
        super().__init__(f"stage '{stage}' failed{where}: {named(cause)}{call_note(cause)}{made}")
        self.stage = stage
        self.position = position
        self.site = site
        self.others: tuple[BaseException, ...] = ()
        self.__cause__ = cause

    def __str__(self) -> str:
        return Exception.__str__(self)  # which has it all


class DeciderError(StreamError):
    """A decider raised, or what it returned is no policy.

    It stands in ``others`` of the ``StageError`` whose failure was to be decided.
    """


class CallExitError(StreamError):
    """A call of ``map_async`` or ``spark_map`` raised ``SystemExit`` or ``KeyboardInterrupt``.

    Other calls share its thread or process, so it ends neither. Its element alone fails.
    """

    def __init__(self, cause: BaseException) -> None:
        super().__init__(f"the call raised {named(cause)}")
        self.__cause__ = cause


class CallTimeout(StreamError, TimeoutError):  # noqa: N818 - the field's own term
    """A call of ``map_async`` or ``map_processes`` took longer than its ``timeout``.

    ``stage`` is the stage's name, ``element`` what the call was made for, ``seconds`` the time it
    had. As every ``TimeoutError`` it is an ``OSError`` too.
    """

    def __init__(self, stage: str, element: Any, seconds: float) -> None:
        super().__init__(f"the call for {repr_of(element)} took longer than {seconds:g} s")
        self.stage = stage
        self.element = element
        self.seconds = seconds


class AbandonedCallsError(StreamError):
    """More calls that had timed out were still under way than ``max_abandoned`` allows."""

    def __init__(self, stage: str, most: int, seconds: float) -> None:
        super().__init__(
            f"map_async(..., timeout={seconds:g}, max_abandoned={most}): {most + 1} calls that had "
            "timed out have not returned; give the function a timeout of its own"
        )
        self.stage = stage


class WriteError(StreamError):
    """A sink could not write; ``path`` is the file, the original exception is ``__cause__``.

    A run raises it as the cause of a ``StageError``, which names the sink and its line.
    """

    def __init__(self, path: str, cause: BaseException) -> None:
        super().__init__(f"could not write {path}: {text_of(cause) or named(cause)}")
        self.path = path
        self.__cause__ = cause


class ReadError(StreamError):
    """A source could not read the file ``path`` at ``line`` (0: no lines), for ``__cause__``."""

    def __init__(self, path: str, cause: BaseException, line: int = 0) -> None:
        place = f"{path}, line {line}" if line else path
        super().__init__(f"could not read {place}: {text_of(cause) or named(cause)}")
        self.path = path
        self.line = line
        self.__cause__ = cause


class SlowSubscriberError(StreamError):
    """A subscriber of a hub requested too little to keep up, and the hub has ``on_slow="fail"``."""

    def __init__(self, hub: str, behind: str) -> None:
        super().__init__(f"hub '{hub}' (on_slow='fail'): a subscriber fell {behind}: request more")


class EmptyStreamError(StreamError, LookupError):
    """The stream completed without the element that was needed."""


class EndOfStreamError(StreamError, EOFError):
    """``get`` or ``get_async`` of a ``SinkQueue`` was called after the last element."""


class StreamTimeoutError(StreamError, TimeoutError):
    """Elements, demand or the end of a stream did not come in the time that was given."""

    def __init__(self, stage: str, operator: str, happened: str) -> None:
        super().__init__(f"{operator}: {happened}")
        self.stage = stage


class BufferOverflowError(StreamError):
    """A buffer received more than it holds, and has ``overflow="fail"``."""

    def __init__(self, stage: str, size: int, kind: str = "buffer") -> None:
        super().__init__(
            f"{kind}({size}, overflow='fail') was full: raise the size or drop elements"
        )
        self.stage = stage


class RunCancelled(StreamError):  # noqa: N818 - an outcome, not a mistake
    """The run was cancelled before it completed."""


class RunTimeout(StreamError, TimeoutError):  # noqa: N818 - the field's own term
    """``run(timeout=...)``: the run took longer, and was cancelled.

    ``seconds`` is the time it had, ``waited_for`` names the stages that had not ended: those in a
    function of yours if there are such.
    """

    def __init__(self, run: str, seconds: float, waited_for: str) -> None:
        late = f"run {repr_of(run)} had not ended after {seconds:g} s"
        waits = f"it waited for {waited_for}" if waited_for else "all of its stages had"
        super().__init__(f"{late}; {waits}")
        self.seconds = seconds
        self.waited_for = waited_for


class WorkerDied(StreamError):  # noqa: N818 - what happened, not a mistake of the caller's
    """A call of ``map_processes`` killed the worker process that made it, each time it was made.

    ``exit_code`` is the exit code of the last worker, or minus the number of the signal that killed
    it.
    """

    def __init__(self, death: str, exit_code: int, times: int) -> None:
        often = "twice" if times == 2 else f"{times} times"
        super().__init__(f"the worker process that made this call {death}; it was made {often}")
        self.exit_code = exit_code


class TooManyGroupsError(StreamError):
    """A ``group_by`` with ``on_overflow="fail"`` met more keys than it may have groups."""

    def __init__(self, stage: str, most: int, key: str) -> None:
        super().__init__(
            f"group_by(..., max_groups={most}, on_overflow='fail'): key {text_of(key)} came while "
            f"{most} groups were open: raise max_groups, or set idle_timeout"
        )
        self.stage = stage


class JoinOverflowError(StreamError):
    """More elements than ``max_held`` of a ``join`` lie within its time."""

    def __init__(self, most: int, within: float) -> None:
        call = f"join(..., within={within:g}, max_held={most})"
        super().__init__(f"{call}: too many elements in that time: raise max_held or lower within")


class TooManyKeysError(StreamError):
    """An ``aggregate_by`` with ``on_overflow="fail"`` met more keys than ``max_keys``."""

    def __init__(self, most: int, key: object) -> None:
        call = f"aggregate_by(..., max_keys={most}, on_overflow='fail')"
        super().__init__(f"{call}: key {repr_of(key)} came while {most} were open: raise max_keys")


class Stalled(StreamError):  # noqa: N818 - a state, not a mistake of whoever waits
    """No stage or actor can move any more, in a stream or a world; the message shows the waits."""
