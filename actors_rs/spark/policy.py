"""The policies for partitions that fail or hang, as plain values."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal, TypeAlias, TypedDict, Unpack

from actors_rs.errors import StreamError
from actors_rs.graph.checks import (
    at_least,
    known_options,
    one_of,
    positive_seconds,
    wrong_kind,
)
from actors_rs.runtime.supervision.backoff import Backoff
from actors_rs.spark.failure_kinds import FailureKind
from actors_rs.texts import counted, plain_name, repr_of
from actors_rs.unknown_names import table

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
        at_least(1, self.max_attempts, "SparkSource: max_attempts")
        if not isinstance(self.backoff, Backoff):
            raise wrong_kind(
                "SparkSource: backoff must be a Backoff, for instance Backoff(1.0, maximum=60.0), "
                f"got {repr_of(self.backoff)}"
            )
        one_of(("dead_letter", "fail"), self.on_poison, "SparkSource: on_poison")
        if self.timeout is not None:
            positive_seconds(self.timeout, "SparkSource: partition_timeout")

    def explain(self) -> Iterator[str]:
        """Lines for ``Graph.explain``."""
        poison = "the run fails" if self.on_poison == "fail" else "it is a dead letter"
        yield (
            f"{counted(self.max_attempts, 'attempt')} at a partition, then {poison} "
            f"(on_poison={repr_of(self.on_poison)})"
        )
        if self.timeout is not None:
            yield (
                f"a second attempt beside one that gave nothing for {self.timeout:g} s; both have "
                f"failed after {2 * self.timeout:g} s"
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

_INSTEAD = table(
    ("retries max_retries retry attempts", "max_attempts=3, which counts the first attempt"),
    ("timeout", "partition_timeout=seconds"),
    ("parallelism concurrency workers prefetch", "in_flight=4"),
    ("ledger resume checkpoint path", ".resume(Ledger(path)) after the source"),
    ("on_failure on_error errors", "on_poison='dead_letter'"),
)
"""What to write for options that one may guess."""


def policy_of(**options: Unpack[PolicyOptions]) -> PartitionPolicy:
    """The policy that ``options`` describe; ``InvalidArgumentError`` for one that makes no sense.

    So are an unknown option, and a ``backoff`` without ``max_attempts``: neither would have an
    effect.
    """
    for name in options:
        if plain_name(name) in _INSTEAD:
            write = _INSTEAD[plain_name(name)]
            raise wrong_kind(f"SparkSource has no option {repr_of(name)}: write {write}")
    known_options(options, PolicyOptions.__annotations__, "SparkSource", _OWN_OPTIONS)
    if "backoff" in options and "max_attempts" not in options:
        raise wrong_kind(
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
