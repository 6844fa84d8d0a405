"""Decisions: who makes the free choices of a deterministic world.

Each event with several outcomes goes through ``choose(what, options)``. Option 0 is the dull one:
the mailbox that has waited longest, the whole mailbox, no fault. The choices are the run's trace.
The same trace makes the same run again; a trace with fewer choices that are not dull is a simpler
run.

``what`` begins with its stream: ``order``, ``size``, ``time``, ``fault`` or ``data``. Each stream
draws from random numbers of its own, so that one more fault does not reorder everything.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol, TypeVar

from actors_rs.errors import ArgumentTypeError, InvalidArgumentError
from actors_rs.runtime.settings import check_count, check_int, check_rate
from actors_rs.texts import repr_of

__all__ = ["Choice", "Decisions", "Pct", "RandomWalk", "Replay", "Scripted", "TraceMisfit"]

T = TypeVar("T")
_MASK = 2**64 - 1
FAULT_RATE = 0.02
"""How often a fault is chosen where one may happen, unless the strategy sets another rate."""


class Choice(NamedTuple):
    """One decision: about what, among how many options, and which was taken."""

    what: str
    options: int
    taken: int


class Decisions:
    """Makes the choices of one run and remembers them; this one is dull throughout."""

    def __init__(self) -> None:
        self._made: list[tuple[str, int, int]] = []
        self._note = self._made.append

    def choose(self, what: str, options: Sequence[T]) -> T:
        """One of ``options``; of a single one there is no choice to make or to remember."""
        number = len(options)
        if number == 1:
            return options[0]
        if not number:
            raise InvalidArgumentError(f"'{what}' needs at least one option, got none")
        taken = self.pick(what, options)
        self._note((what, number, taken))
        return options[taken]

    def pick(self, what: str, options: Sequence[Any]) -> int:
        """The index of the option to take; there are at least two."""
        return 0

    notes_effects = False
    """Whether to call ``ran``, and to ask for the order also where only one step is ready."""

    pruned = False
    """Whether the run was given up, since it would only repeat another one."""

    def ran(self, step: str, touched: frozenset[int]) -> None:
        """The step ``step`` has run; ``touched`` are its actor and those it sent messages to."""

    def resumed(self) -> None:
        """The scenario itself goes on, with all that the last step has changed."""

    @property
    def made(self) -> list[Choice]:
        """The choices so far."""
        return [Choice(*one) for one in self._made]

    @property
    def deviations(self) -> dict[int, int]:
        """The choices that were not dull, by their number in the run: all there is to replay."""
        return {number: taken for number, (_, _, taken) in enumerate(self._made) if taken}


class Scripted(Decisions):
    """Takes what the script says for the decisions it names, and the dull option for all others.

    An option that does not exist there becomes the last one. ``Replay`` insists.
    """

    def __init__(self, deviations: Mapping[int, int]) -> None:
        super().__init__()
        self._script = dict(deviations)

    def choose(self, what: str, options: Sequence[T]) -> T:
        number = len(options)  # as always, but without a call: most of a run is decided here
        if number < 2:
            return super().choose(what, options)
        taken = self._script.get(len(self._made), 0)
        if taken >= number:
            taken = number - 1
        note = self._note
        note((what, number, taken))
        return options[taken]


class TraceMisfit(InvalidArgumentError):  # noqa: N818 - the trace is at fault, not the run
    """The trace belongs to another run. ``graph`` is this run's graph if the graphs differ.

    If it is empty, the graph is the same, but the data or the version of the code differ.
    """

    def __init__(self, message: str, graph: str = "") -> None:
        super().__init__(message)
        self.graph = graph


class Deviating(Protocol):
    """What knows the deviations of a run: a ``Trace``, the decisions that were made in it."""

    @property
    def deviations(self) -> Mapping[int, int]:
        """Options that were not dull, by the numbers of their decisions."""
        ...


class Replay(Decisions):
    """Takes exactly what a trace says, which may also be a mapping of decision numbers to options.

    Raises ``TraceMisfit`` where the run has no such option: it is another run then.
    """

    def __init__(self, trace: Mapping[int, int] | Deviating) -> None:
        super().__init__()
        script = getattr(trace, "deviations", trace)
        if not isinstance(script, Mapping):
            raise ArgumentTypeError(
                f"Replay needs a trace, such as Trace.parse(word) gives, got {repr_of(trace)}"
            )
        for number in (*script, *script.values()):
            check_int("what a trace holds", number)
            if number < 0:
                raise InvalidArgumentError(f"what a trace holds must be 0 or more, got {number}")
        self._trace: dict[int, int] = dict(script)
        self._misfit: TraceMisfit | None = None

    def pick(self, what: str, options: Sequence[Any]) -> int:
        number = len(self._made)
        taken = self._trace.get(number, 0)
        if taken >= len(options):
            self._misfit = TraceMisfit(
                f"the trace is of another graph or version: its decision {number} takes option "
                f"{taken}, here that decision is about '{what}' with {len(options)} options"
            )
            raise self._misfit
        return taken

    def check_fits(self, *, failed: bool) -> None:
        """Raise ``TraceMisfit`` if the run that is over was not the one of the trace.

        One that has ``failed`` may have done so before it came to all decisions.
        """
        if self._misfit is not None:  # in user code it may have been swallowed, or wrapped
            raise self._misfit
        last, made = max(self._trace, default=-1), len(self._made)
        if last >= made and not failed:
            raise TraceMisfit(
                f"the trace is of another graph or version: its decision {last} was not reached, "
                f"here were {made} decisions, counted from 0"
            )


_FACTOR, _ADDEND = 6364136223846793005, 1442695040888963407
_FACTOR_3 = _FACTOR**3 & _MASK
_ADDEND_3 = _ADDEND * (_FACTOR**2 + _FACTOR + 1) & _MASK
"""Three draws in one."""
_SALTS: dict[str, int] = {}


class _Stream:
    """Random numbers that are the same everywhere, and cost nothing to begin."""

    __slots__ = ("_state",)

    def __init__(self, seed: int, name: str) -> None:
        if (salt := _SALTS.get(name)) is None:
            number = int.from_bytes(name.encode()[:8], "little")
            salt = _SALTS[name] = number * 0xD1342543DE82EF95
        begin = seed * 0x9E3779B97F4A7C15 ^ salt
        # Three draws ahead, for seeds that are neighbours must not begin alike.
        self._state = (begin * _FACTOR_3 + _ADDEND_3) & _MASK

    def draw(self) -> int:
        """A number below 2 ** 32."""
        self._state = state = (self._state * _FACTOR + _ADDEND) & _MASK
        high = state >> 32
        return high ^ (high >> 15)


class RandomWalk(Decisions):
    """Chooses at random: each mailbox as likely as any other.

    A turn takes the whole mailbox, and no time passes in it, in half of all cases; a fault comes
    with probability ``fault_rate``.
    """

    _faults_below = int(FAULT_RATE * 2**32)

    def __init__(self, seed: int, *, fault_rate: float = FAULT_RATE) -> None:
        Decisions.__init__(self)  # ``super()`` takes as long as three calls
        if type(seed) is not int:  # a call less for each of thousands of runs
            check_int("seed", seed)
        self.seed = seed
        if fault_rate != FAULT_RATE:
            check_rate("fault_rate", fault_rate)
            self._faults_below = int(fault_rate * 2**32)
        self._streams: dict[str, _Stream] = {}
        self._order = _Stream(seed, "order").draw
        self._size = _Stream(seed, "size").draw

    def choose(self, what: str, options: Sequence[T]) -> T:
        number = len(options)  # the most frequent decisions, the others in ``pick``
        if number < 2:
            return super().choose(what, options)
        if what == "size":
            draw = self._size  # as a variable: to call it as a method takes longer
            taken = (draw() * (2 * number)) >> 32
            if taken >= number:
                taken = 0
        elif what == "order":
            draw = self._order
            taken = (draw() * number) >> 32
        else:
            return super().choose(what, options)
        note = self._note
        note((what, number, taken))
        return options[taken]

    def pick(self, what: str, options: Sequence[Any]) -> int:
        name = what.partition(":")[0]
        stream = self._streams.get(name)
        if stream is None:
            stream = self._streams[name] = _Stream(self.seed, name)
        number, drawn = len(options), stream.draw()
        if name == "data":
            return (drawn * number) >> 32
        if name == "fault":
            return 1 + drawn % (number - 1) if drawn < self._faults_below else 0
        taken = (drawn * 2 * number) >> 32
        return taken if taken < number else 0


class Pct(RandomWalk):
    """Runs the actor with the highest priority; priorities are drawn at first sight.

    At ``depth - 1`` steps among the first ``length`` the actor about to run gets the lowest
    priority. Finds faults that need few, well-placed interruptions: a random walk rarely lets one
    actor run long enough for them. Everything but the order is chosen as a ``RandomWalk`` does.
    """

    def __init__(
        self, seed: int, depth: int = 3, *, length: int = 60, fault_rate: float = FAULT_RATE
    ) -> None:
        RandomWalk.__init__(self, seed, fault_rate=fault_rate)
        check_count("depth", depth)
        check_count("length", length)
        self._draw = draw = _Stream(seed, "pct").draw
        self._falls = {draw() * length >> 32 for _ in range(depth - 1)}
        self._priorities: dict[str, int] = {}
        self._steps = 0

    def choose(self, what: str, options: Sequence[T]) -> T:
        if what != "order" or len(options) < 2:
            return RandomWalk.choose(self, what, options)  # ``super()`` takes as long as the rest
        steps: Sequence[Any] = options
        best = self._highest(steps)
        if self._steps in self._falls:
            self._priorities[steps[best].name] = -1 - self._steps
            best = self._highest(steps)
        self._steps += 1
        note = self._note
        note((what, len(options), best))
        return options[best]

    def _highest(self, options: Sequence[Any]) -> int:
        priorities, best, highest = self._priorities, 0, -(1 << 62)
        for index, option in enumerate(options):
            priority = priorities.get(option.name)
            if priority is None:
                priority = priorities[option.name] = self._draw()
            if priority > highest:
                best, highest = index, priority
        return best
