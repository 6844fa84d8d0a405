"""The policies for partitions that fail or hang, as plain values."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf
from typing import Literal, TypeAlias, TypedDict, Unpack

from actors_rs.errors import InvalidArgumentError, StreamError
from actors_rs.graph.checks import known_options
from actors_rs.runtime.supervision.backoff import Backoff
from actors_rs.spark.failure_kinds import FailureKind
from actors_rs.texts import repr_of

__all__ = [
    "OnPoison",
    "PartitionPolicy",
    "PartitionTimeoutError",
    "PoisonPartition",
    "PolicyOptions",
    "policy_of",
]

OnPoison: TypeAlias = Literal["dead_letter", "fail"]
"""What becomes of the run when a partition has failed for good."""


@dataclass(frozen=True, slots=True)
class PartitionPolicy:
    """How often a partition is tried, how long it may take, and what happens when it is poison.

    ``max_attempts`` counts the first one. ``backoff`` is waited between them. ``timeout``: seconds
    after which a second attempt is begun beside the first; whichever gives its first elements
    first is used. When nothing was given after twice that time, the partition has failed, also if
    one of the two failed before. While its job waits for a core, the time does not count; it is
    looked at when the time has come, so a partition that had to wait has up to twice its time.
    """

    max_attempts: int = 1
    backoff: Backoff = field(default_factory=Backoff)
    on_poison: OnPoison = "fail"
    timeout: float | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.max_attempts, int) or isinstance(self.max_attempts, bool):
            raise TypeError(
                f"SparkSource: max_attempts must be an int, got {repr_of(self.max_attempts)}"
            )
        if self.max_attempts < 1:
            raise InvalidArgumentError(
                f"SparkSource: max_attempts must be at least 1, got {self.max_attempts}"
            )
        if not isinstance(self.backoff, Backoff):
            raise TypeError(f"SparkSource: backoff must be a Backoff, got {repr_of(self.backoff)}")
        if self.on_poison not in ("dead_letter", "fail"):
            raise InvalidArgumentError(
                "SparkSource: on_poison must be 'dead_letter' or 'fail', "
                f"got {repr_of(self.on_poison)}"
            )
        if self.timeout is not None and (
            isinstance(self.timeout, bool) or not isinstance(self.timeout, int | float)
        ):
            raise TypeError(
                "SparkSource: partition_timeout must be seconds or None, "
                f"got {repr_of(self.timeout)}"
            )
        if self.timeout is not None and not 0 < self.timeout < inf:
            raise InvalidArgumentError(
                "SparkSource: partition_timeout must be above 0 seconds and finite, "
                f"got {repr_of(self.timeout)}"
            )

    @property
    def is_plain(self) -> bool:
        """Whether each partition is tried once and may take as long as it likes."""
        return self.max_attempts == 1 and self.on_poison == "fail" and self.timeout is None


class PolicyOptions(TypedDict, total=False):
    """The options that all kinds of ``SparkSource`` have: a policy, and the scheduler's pool."""

    max_attempts: int
    backoff: Backoff
    on_poison: OnPoison
    partition_timeout: float | None
    pool: str | None


_OWN_OPTIONS = ("in_flight", "ordered", "max_partition_bytes")
"""Options that the methods of ``SparkSource`` name themselves."""


def policy_of(**options: Unpack[PolicyOptions]) -> PartitionPolicy:
    """The policy that ``options`` describe; raises for one that makes no sense.

    ``TypeError`` for an unknown option, and for a ``backoff`` without ``max_attempts``: neither
    would have an effect.
    """
    known_options(options, PolicyOptions.__annotations__, "SparkSource", _OWN_OPTIONS)
    if "backoff" in options and "max_attempts" not in options:
        raise TypeError(
            "SparkSource: backoff is the wait between attempts, and without max_attempts there is "
            "one attempt: pass max_attempts=3, for instance, or leave out backoff"
        )
    return PartitionPolicy(
        options.get("max_attempts", 1),
        options.get("backoff", Backoff()),
        options.get("on_poison", "fail"),
        options.get("partition_timeout"),
    )


@dataclass(frozen=True, slots=True)
class PoisonPartition:
    """The dead letter of a partition that was given up, with ``on_poison="dead_letter"``.

    ``partition`` is its number, ``attempts`` how often it was tried, and ``cause`` the text of the
    last failure.

    >>> from actors_rs.spark import PoisonPartition
    >>> PoisonPartition(partition=7, attempts=3, cause="division by zero").attempts
    3
    """

    partition: int
    attempts: int
    cause: str


class PartitionTimeoutError(StreamError, TimeoutError):
    """A partition gave nothing for twice its ``partition_timeout``, in each of its attempts.

    ``happened`` is the sentence that says which partition, and how long it took. ``kind`` is
    ``FailureKind.TIMED_OUT``.
    """

    kind = FailureKind.TIMED_OUT

    def __init__(self, happened: str) -> None:
        super().__init__(
            f"{happened}: give a longer partition_timeout, or make the partitions smaller "
            "with repartition"
        )
