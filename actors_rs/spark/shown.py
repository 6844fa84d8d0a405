"""Figures of supervised partitions for snapshots and the page. Any thread may ask."""

from __future__ import annotations

from collections import Counter
from typing import Any

from actors_rs.spark.fetching.attempts import Attempts
from actors_rs.spark.policy import PartitionPolicy
from actors_rs.spark.resuming.ledger_writer import LedgerWriter
from actors_rs.spark.stage import PartitionsSource
from actors_rs.texts import attempts_text

__all__ = ["ShownPartitions"]

_MOST_DIGIT = 9


class ShownPartitions(PartitionsSource):
    """The figures of partitions that may be tried again, given up or resumed."""

    _policy: PartitionPolicy
    _ledger: LedgerWriter | None
    _tries: dict[int, Attempts]
    _attempts_of: Counter[int]
    """Attempts at each partition since this start."""
    _poisoned: list[int]
    _retried: int
    _committed: int
    _skipped: int
    _dead_lettered: int

    def details(self) -> dict[str, Any]:
        found = super().details()
        if found["waiting"] is not None:
            found["waiting"] = max(0, found["waiting"] - len(self._poisoned))
        attempts = sum(self._attempts_of.copy().values())
        found |= {"poison": len(self._poisoned), "attempts": attempts}
        found["retried"] = self._retried
        if self._ledger is not None:
            found |= {"committed": self._committed, "skipped": self._skipped}
            found["dead_lettered"] = self._dead_lettered
        return found

    def partition_states(self) -> str:
        states = list(super().partition_states())
        if self._ledger is not None and self._skipped:
            for index in self._ledger.committed:
                states[index] = "e"
        for index, one in self._tries.copy().items():
            if one.attempts > 1 and index < len(states):
                states[index] = "t"
        for index in self._poisoned.copy():
            states[index] = "p"
        return "".join(states)

    def _counts(self, one: Attempts) -> dict[str, int]:
        """The attempts at a partition in this start, and in all starts."""
        earlier = 0 if self._ledger is None else self._ledger.attempts.get(one.fetch.index, 0)
        return {"attempt": one.attempts, "attempts_in_all": one.attempts + earlier}

    def _tries_said(self, one: Attempts) -> str:
        counts = self._counts(one)
        tries = attempts_text(counts["attempt"], counts["attempts_in_all"])
        is_beside = one.attempts > self._policy.max_attempts
        return f"{tries}, the last one beside a late one" if is_beside else tries

    def partition_attempts(self) -> str:
        """A digit for each partition: its attempts, including earlier starts if there is a ledger.

        9 stands for 9 or more.
        """
        counts = self._attempts_of.copy()
        if self._ledger is not None:
            counts.update(self._ledger.attempts)
        return "".join(str(min(counts[index], _MOST_DIGIT)) for index in range(self._total or 0))

    def ledger_starts(self) -> list[dict[str, Any]]:
        """The starts in the ledger, the oldest first; this one, the last, as it is now."""
        return [] if self._ledger is None else list(self._ledger.starts)
