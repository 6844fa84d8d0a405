"""Acknowledgement: who still holds what of a unit, as plain state.

A *unit* is what is acknowledged as a whole: a partition, or a single element. Each element of it
travels with a *token*, a share in the unit's scope. The unit is settled when its source has sealed
it (no further element comes) and every share has been settled; then, and only then, it counts as
done.

A sink that writes a unit in one go *parks* its shares instead of settling them one by one. A scope
is *gathered* when it is sealed and all of its open shares are parked. Nothing of it is under way
any more then, so the parked elements are the whole unit, and the sink can commit it. A broadcast
parks too, and gives each branch a scope of its own that is sealed when its parent is gathered: so
each branch gathers, and commits, by itself.

A token that is dropped, because its run failed or was cancelled, leaves its unit unsettled for
ever, which is what "not acknowledged" means. A source that cannot give the rest of a unit abandons
it, and sinks release its parked elements. Tokens of one unit may be touched from any thread.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from enum import Enum
from typing import TYPE_CHECKING, Any, Protocol

from actors_rs.errors import DefectError
from actors_rs.runtime._primitives import Lock
from actors_rs.texts import repr_of

if TYPE_CHECKING:
    import sqlite3

    from actors_rs.delivery.outputs import Output

__all__ = ["Bundle", "Disposition", "Entry", "Fork", "Scope", "Token", "Tracked", "Unit"]


class Disposition(Enum):
    """How the work on an element ended.

    >>> from actors_rs.delivery import Disposition
    >>> Disposition.FILTERED.value
    'filtered'
    """

    DELIVERED = "delivered"
    """A sink took responsibility."""
    FILTERED = "filtered"
    """The graph has no further use for it."""
    DEAD_LETTERED = "dead-lettered"
    """It failed, and lies in the dead letters."""


class Tracked:
    """An element and its token, on its way through a graph."""

    __slots__ = ("token", "value")

    def __init__(self, value: Any, token: Token | Bundle) -> None:
        self.value = value
        self.token = token

    def __repr__(self) -> str:
        return f"Tracked({repr_of(self.value)} of {repr_of(self.token.scope.unit.key)})"


class Scope:
    """The shares of one unit on one branch of a graph."""

    __slots__ = ("_listeners", "_open", "_parked", "_reported", "_sealed", "begun", "unit")

    def __init__(self, unit: Unit) -> None:
        self.unit = unit
        self._open = self._parked = 0
        self._sealed = self._reported = False
        self._listeners: list[Callable[[], None]] = []
        self.begun = False
        """Whether this branch was given something; for the stage that branches."""

    def share(self) -> Token:
        """A new share; only while the scope is not sealed, or on behalf of an open one."""
        with self.unit.lock:
            self._open += 1
        return Token(self)

    def seal(self) -> None:
        """No further element comes, but for what open shares turn into."""
        with self.unit.lock:
            self._sealed = True
            due = self._due()
        _call(due)

    def when_gathered(self, listener: Callable[[], None]) -> None:
        """Call ``listener`` once all open shares are parked and the scope is sealed; any thread.

        Also when the unit is abandoned, which the listener finds out by asking the unit.
        """
        with self.unit.lock:
            self._listeners.append(listener)
            due = self._due()
        _call(due)

    def is_all_that_is_left(self, shares: int) -> bool:
        """Whether ``shares`` of this scope are all that is left of the unit."""
        with self.unit.lock:
            return self._is_left_with(shares)

    def leave_out(self, token: Token | Bundle) -> None:
        """Nobody on this branch wants ``token``'s element any more; for the stage that branches.

        Where others of the unit were given, this one is missing there: the unit is abandoned.
        """
        if self.begun:
            self.unit.abandon()
        else:
            token.settle(Disposition.FILTERED)

    def abandon(self) -> None:
        """Call the listeners: the unit will never be whole."""
        with self.unit.lock:
            due, self._listeners = self._listeners, []
        _call(due)

    def _is_left_with(self, shares: int) -> bool:
        """See ``is_all_that_is_left``; under the lock."""
        return self._sealed and self._open == shares

    def _due(self) -> list[Callable[[], None]]:
        """The functions to call now: the listeners, or the unit's end. Called under the lock."""
        if self.unit.abandoned:
            due, self._listeners = self._listeners, []
            return due
        if not self._sealed or self._open != self._parked:
            return []
        if self._open:
            due, self._listeners = self._listeners, []
            return due
        if self._reported:
            return []
        self._reported = True
        return [*self._listeners, self._ended]

    def _ended(self) -> None:
        """Every share has been settled."""
        raise NotImplementedError


class Entry(Protocol):
    """Where a unit is written down when it is done, for sinks that can do so themselves."""

    run_key: str
    """Identifies this run among all others, also after a restart of the process."""
    path: str
    """The database of the entry."""

    def delivered(self, output: Output, /) -> None:
        """Something of its run is in ``output``, for good. Blocks."""

    def schema_of(self, sink: str, schema: bytes | None = None, /) -> bytes | None:
        """That of all that ``sink`` writes in its run: ``schema``, if there is none yet. Blocks."""
        ...

    def commit_within(self, database: sqlite3.Connection, /) -> bool:
        """Write it down in the transaction that ``database``, on ``path``, has open.

        False if that was done before, and the unit is not to be written again.
        """
        ...


class Unit:
    """Elements acknowledged as a whole; ``on_settled`` gets the number of them per disposition.

    It is called once, on the thread of the last token that was settled (or of ``seal``), with
    no lock held.
    """

    def __init__(
        self,
        key: Hashable,
        on_settled: Callable[[Counter[Disposition]], None],
        entry: Entry | None = None,
    ) -> None:
        self.key = key
        self.entry = entry
        self.lock = Lock()
        self.scope: Scope = _Whole(self)
        self.branches: list[Scope] = []
        """All other scopes it has; one is made before anybody can wait for it to be gathered."""
        self.outcomes: Counter[Disposition] = Counter()
        self.abandoned = False
        self._on_settled = on_settled

    def track(self, value: Any) -> Tracked:
        """``value`` as an element of this unit."""
        return Tracked(value, self.scope.share())

    def seal(self) -> None:
        """No further element comes; an empty unit is settled at once."""
        self.scope.seal()

    def abandon(self) -> None:
        """The rest of it will not come: it is never settled, and nothing of it is committed."""
        with self.lock:
            self.abandoned = True
        for scope in (self.scope, *self.branches):
            scope.abandon()

    def settled(self) -> None:
        """Called by the scope."""
        self._on_settled(self.outcomes)


class _Whole(Scope):
    """The scope of the unit itself."""

    __slots__ = ()

    def _ended(self) -> None:
        self.unit.settled()


class Fork:
    """One scope's way into ``count`` branches, each of which gets a scope of its own.

    One stage calls ``split``, in its own turns; threads that settle tokens call the rest.
    """

    __slots__ = ("_going", "_parked", "branches", "parent", "sealed")

    def __init__(self, parent: Scope, count: int) -> None:
        self.parent = parent
        self.branches: list[Scope] = [_Branch(parent.unit, self) for _ in range(count)]
        self._going = count
        self.sealed = False
        """Whether no further element will come to be split."""
        self._parked: list[Token | Bundle] = []
        parent.when_gathered(self._seal)

    def split(self, token: Token | Bundle) -> list[Token]:
        """A share in each branch for the element of ``token``, which is parked till they ended."""
        shares = [branch.share() for branch in self.branches]
        self._parked.append(token)
        token.park()
        return shares

    def branch_ended(self) -> None:
        """Called by a branch, once."""
        with self.parent.unit.lock:
            self._going -= 1
            last = not self._going
        if last:
            for token in self._parked:
                token.settle(None)

    def is_left(self) -> bool:
        """Whether a branch that has all that is left of its scope has all of the unit's; locked."""
        parked = sum(token.shares for token in self._parked)
        return len(self.branches) == 1 and self.parent._is_left_with(parked)

    def _seal(self) -> None:
        self.sealed = True
        for branch in self.branches:
            branch.abandon() if self.parent.unit.abandoned else branch.seal()


class _Branch(Scope):
    """The scope of one branch, of a broadcast or the like."""

    __slots__ = ("_fork",)

    def __init__(self, unit: Unit, fork: Fork) -> None:
        super().__init__(unit)
        self._fork = fork
        unit.branches.append(self)

    def _is_left_with(self, shares: int) -> bool:
        return super()._is_left_with(shares) and self._fork.is_left()

    def _ended(self) -> None:
        self._fork.branch_ended()


class Token:
    """One share; settled exactly once. Any thread."""

    __slots__ = ("_parked", "_settled", "scope")

    shares = 1
    """How many shares of the scope it stands for."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self._settled = self._parked = False

    def sibling(self) -> Token:
        """One more share, for a further element made of this token's. Before it is settled."""
        if self._settled:
            raise DefectError(f"a settled token of {repr_of(self.scope.unit.key)} was split")
        return self.scope.share()

    def park(self) -> None:
        """Hold it until the scope is gathered; see ``Scope.when_gathered``."""
        scope = self.scope
        with scope.unit.lock:
            if self._parked or self._settled:
                raise DefectError(
                    f"a token of {repr_of(scope.unit.key)} was parked twice or settled before"
                )
            self._parked = True
            scope._parked += 1
            due = scope._due()
        _call(due)

    def settle(self, outcome: Disposition | None) -> None:
        """Give the share back. ``None`` counts nothing: other elements stand for this one.

        Raises ``DefectError`` the second time.
        """
        scope = self.scope
        with scope.unit.lock:
            if self._settled:
                raise DefectError(f"a token of {repr_of(scope.unit.key)} was settled twice")
            self._settled = True
            scope._open -= 1
            scope._parked -= self._parked
            if outcome is not None:
                scope.unit.outcomes[outcome] += 1
            due = scope._due()
        _call(due)


class Bundle:
    """The tokens of one scope as one, for an element that several became. Any thread."""

    __slots__ = ("scope", "tokens")

    def __init__(self, tokens: Sequence[Token | Bundle]) -> None:
        self.tokens = tokens
        self.scope: Scope = tokens[0].scope

    @property
    def shares(self) -> int:
        """How many shares of the scope it stands for."""
        return sum(token.shares for token in self.tokens)

    def sibling(self) -> Token:
        """See ``Token.sibling``."""
        return self.tokens[0].sibling()

    def park(self) -> None:
        """Park all of them."""
        for token in self.tokens:
            token.park()

    def settle(self, outcome: Disposition | None) -> None:
        """Settle all tokens with one outcome."""
        for token in self.tokens:
            token.settle(outcome)


def _call(listeners: list[Callable[[], None]]) -> None:
    for listener in listeners:
        listener()
