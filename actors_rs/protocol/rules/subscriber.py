"""The rules for Subscribers, 2.1 to 2.13."""

from __future__ import annotations

from actors_rs.protocol.rules.rule import MONITOR, Rule

__all__ = ["SUBSCRIBER_RULES"]

BOUNDARY = "tests/graph/test_boundary.py::"
PROCESSOR = "tests/graph/test_processor.py::"

SUBSCRIBER_RULES = (
    Rule(
        "2.1",
        "Subscriber",
        "MUST",
        "A subscriber receives only elements that it has requested with request(n).",
        "The receiver decides when and how much. One large request is cheaper than many small "
        "ones.",
        "An inlet requests a window when it opens. Requesting nothing is legal: then no element "
        "comes.",
        (PROCESSOR + "test_a_processor_asks_only_when_it_is_asked",),
    ),
    Rule(
        "2.2",
        "Subscriber",
        "SHOULD",
        "A subscriber whose work would block the publisher's thread does it elsewhere.",
        "A slow receiver slows its own stream by its demand, not by keeping a thread.",
        "Our subscribers put each signal into a mailbox and return. The protocol does not say how "
        "slow a foreign subscriber may be.",
    ),
    Rule(
        "2.3",
        "Subscriber",
        "MUST",
        "on_complete and on_error call neither the subscription nor the publisher.",
        "Ending must not start a new round between the two.",
        "Our inlets call nothing once they are done. The monitor reports a call made on the "
        "thread that is inside on_complete or on_error; it cannot see a call to the publisher.",
        (MONITOR,),
    ),
    Rule(
        "2.4",
        "Subscriber",
        "MUST",
        "After on_complete or on_error a subscriber treats its subscription as cancelled.",
        "The other side has ended.",
        "It is internal to the subscriber, so it cannot be observed. A call after the end does "
        "nothing (3.6, 3.7).",
        ("tests/protocol/test_link.py::test_calls_after_the_end_or_a_cancel_do_nothing",),
    ),
    Rule(
        "2.5",
        "Subscriber",
        "MUST",
        "A subscriber that has a subscription cancels every further one.",
        "Two publishers never feed one subscriber, and the second does not wait for ever.",
        "Ours cancel the second one and report it (2.12).",
        (BOUNDARY + "test_a_second_on_subscribe_is_cancelled_and_reported",),
    ),
    Rule(
        "2.6",
        "Subscriber",
        "MUST",
        "A subscription that is no longer needed is cancelled, not merely forgotten.",
        "The publisher can release its resources for it.",
        "A stage that has enough cancels its inlets. Only a foreign subscriber itself knows "
        "whether it still needs elements.",
        ("tests/graph/test_monitored_run.py::test_our_own_stages_keep_every_rule",),
    ),
    Rule(
        "2.7",
        "Subscriber",
        "MUST",
        "request and cancel of one subscription are called one after another.",
        "A subscription need not support concurrent calls.",
        "Each inlet calls from its actor's turns. The monitor reports calls of two threads that "
        "overlap, with both stacks; our own subscriptions tolerate it.",
        (MONITOR, BOUNDARY + "test_requests_from_many_threads_add_up"),
    ),
    Rule(
        "2.8",
        "Subscriber",
        "MUST",
        "Elements requested earlier may still arrive after cancel, and a subscriber tolerates "
        "them.",
        "Cancelling is a message, and messages take time.",
        "A cancelled inlet drops arriving elements. The monitor counts these elements as late.",
        (
            BOUNDARY + "test_what_a_publisher_sends_after_it_was_drained_is_no_violation",
            "tests/protocol/test_link.py::test_elements_after_a_cancel_are_counted_as_late",
        ),
    ),
    Rule(
        "2.9",
        "Subscriber",
        "MUST",
        "on_complete may come although nothing was requested.",
        "An empty stream ends at once, without a request.",
        "Our subscribers end like that before their first request, too.",
        (
            "tests/protocol/test_link.py::test_a_stream_may_end_before_anything_was_requested",
            PROCESSOR + "test_a_processor_that_all_subscribers_cancelled_rejects_another",
        ),
    ),
    Rule(
        "2.10",
        "Subscriber",
        "MUST",
        "on_error may come although nothing was requested.",
        "A failure has nothing to do with demand.",
        "As with on_complete.",
        ("tests/protocol/test_link.py::test_a_stream_may_end_before_anything_was_requested",),
    ),
    Rule(
        "2.11",
        "Subscriber",
        "MUST",
        "The effects of a signal are visible to each thread that continues its work.",
        "A subscriber that hands work to other threads does so safely.",
        "In a mailbox, each put happens before its take. A missing order in a foreign subscriber "
        "cannot be observed from outside.",
    ),
    Rule(
        "2.12",
        "Subscriber",
        "MUST",
        "on_subscribe is called once on a subscriber, equal ones counting as the same.",
        "One subscriber, one stream.",
        "The second call is reported, and its subscription cancelled (2.5).",
        (MONITOR, BOUNDARY + "test_a_second_on_subscribe_is_cancelled_and_reported"),
    ),
    Rule(
        "2.13",
        "Subscriber",
        "MUST",
        "A subscriber's methods return normally. They raise only for a missing argument. A "
        "subscriber that raises for another reason counts as cancelled, and the error is reported.",
        "A subscriber rejects a publisher with cancel. A report reaches a person even if the "
        "faulty peer cannot receive it.",
        "None is refused with TypeError. A subscriber that raises is cancelled and its error "
        "becomes a dead letter. The monitor reports None as an argument, and every exception.",
        (
            MONITOR,
            BOUNDARY + "test_a_subscriber_that_raises_counts_as_cancelled_and_is_reported",
            BOUNDARY + "test_none_is_refused_wherever_the_standard_forbids_it",
        ),
    ),
)
"""In the order of the standard."""
