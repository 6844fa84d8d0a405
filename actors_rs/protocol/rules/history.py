"""How the rules came to be what they are, and what we do in each case.

The 1.0.3 text stands. What came before it shows what other implementations may still do.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["CHANGES", "Change"]

SAME = "unchanged"


@dataclass(frozen=True, slots=True)
class Change:
    """One point on which the texts differ: what each says, and how this package behaves."""

    topic: str
    draft: str
    rc1: str
    v1_0_0: str
    v1_0_3: str
    ours: str


CHANGES = (
    Change(
        "Rejecting a subscriber",
        "on_error or on_complete alone, without on_subscribe",
        "on_error in place of on_subscribe (1.12)",
        "on_subscribe, then on_error (1.9)",
        SAME,
        "on_subscribe with a subscription that does nothing, then on_error. A foreign publisher "
        "that omits on_subscribe breaks 1.9, which ends its link.",
    ),
    Change(
        "Publishers that are completed, failed or shut down",
        "three named states, each with its answer to a new subscriber",
        "reasons to reject (1.12)",
        "reasons to reject, as examples under 1.9",
        SAME,
        "A cold publisher has no such state: each subscriber gets a run from the beginning. After "
        "the shutdown of its system, subscribers are rejected.",
    ),
    Change(
        "A missing subscriber or argument",
        "not mentioned",
        "not mentioned: methods return normally (1.9, 2.13)",
        "raises to the caller (1.9, 2.13)",
        SAME,
        "TypeError that names the rule. Inside a graph None is an ordinary element.",
    ),
    Change(
        "The name of the request",
        "requestMore, a 32-bit number",
        "request, a 64-bit number",
        SAME,
        SAME,
        "request(n) with an int of any size.",
    ),
    Change(
        "Requesting less than one",
        "raises to the caller",
        "on_error; the message must refer to the rule (3.9)",
        "as RC1",
        "on_error; the message should explain (3.9)",
        "on_error with a ValueError that names rule 3.9 and explains.",
    ),
    Change(
        "Very large demand",
        "counted up to 2**63 - 1, protected from overflow",
        "from 2**63 - 1 on it may count as unbounded (3.17)",
        SAME,
        SAME,
        "Saturates at UNBOUNDED, which is never used up.",
    ),
    Change(
        "Signals that might overlap",
        "not mentioned for publishers",
        "sequential, none at the same time (1.3)",
        "thread-safe, with external synchronization (1.3)",
        "serial: without overlap and in a happens-before order (1.3)",
        "Serial, by the turns of one actor; a monitor reports overlap.",
    ),
    Change(
        "Calls of a subscription that might overlap",
        "from one thread, or synchronized outside",
        "as the draft (2.7)",
        "as the draft (2.7)",
        "serial (2.7)",
        "Our calls are serial. Any thread may call ours at any time.",
    ),
    Change(
        "Calls from inside a signal",
        "on_subscribe and on_next must not call anything, and hand over to another thread",
        "request may be called inside both (3.2), and recursion is bounded (3.3)",
        SAME,
        "also: best as the last thing a signal does (2.1)",
        "A call inside a signal is handled when the signal has returned.",
    ),
    Change(
        "Elements delivered inside request",
        "only elements that are already available",
        "allowed without condition (3.10)",
        SAME,
        SAME,
        "Never by ours; accepted from others.",
    ),
    Change(
        "Where signals are handled",
        "always on another thread",
        "recommended where the work is slow (2.2)",
        SAME,
        SAME,
        "Always as a message to an actor.",
    ),
    Change(
        "The same elements for all subscribers",
        "required, starting with the oldest still held, at different rates if needed",
        "demanded (1.13)",
        "dropped: unicast or multicast is the publisher's choice (1.11)",
        SAME,
        "The publisher of a source makes its elements anew for each subscriber; within a graph "
        "broadcast gives the same frames to all.",
    ),
    Change(
        "The same subscriber twice",
        "rejected with on_error while its subscription lives",
        "must not be done (1.10, 2.12)",
        SAME,
        SAME,
        "A subscriber of ours cancels the second subscription and reports it; a cold publisher "
        "does not remember its subscribers.",
    ),
    Change(
        "A second subscription",
        "must not be accepted, and must be reported",
        "is cancelled (2.5)",
        SAME,
        SAME,
        "Cancelled, with a dead letter that names 2.12.",
    ),
    Change(
        "When a subscription is cancelled",
        "at the subscriber's own shutdown",
        "when the publisher should not count on it any more (2.6)",
        "as RC1",
        "when it is no longer needed (2.6)",
        "As soon as a stage needs no more elements.",
    ),
    Change(
        "When the last subscriber cancels",
        "the publisher must shut down",
        "it may (3.14)",
        SAME,
        SAME,
        "The run of that subscription ends; the publisher can be subscribed to again.",
    ),
    Change(
        "How soon to complete",
        "as soon as it is known that nothing more comes, without waiting for demand",
        "not mentioned",
        SAME,
        SAME,
        "As in the draft: the end of a stream needs no demand.",
    ),
    Change(
        "A processor and errors",
        "passes them on at once, before the elements that it holds",
        "passes them on at once, or recovers (4.2)",
        SAME,
        SAME,
        "Passes them on after earlier elements; the error itself needs no demand.",
    ),
    Change(
        "A processor whose subscribers have all cancelled",
        "must cancel its upstream",
        "a good idea, not a rule",
        SAME,
        SAME,
        "Cancels its upstream.",
    ),
    Change(
        "A processor that receives elements before it has demand",
        "must tolerate it",
        "not mentioned: follows from 1.1 and 2.1",
        SAME,
        SAME,
        "It requests nothing before it has demand, so earlier elements break 1.1.",
    ),
    Change(
        "The words",
        "a few terms",
        "a few notes",
        "a glossary of eight",
        "a glossary of ten: serial and thread-safe are new",
        "The table below.",
    ),
)
"""From the first signal of a stream to its end."""
