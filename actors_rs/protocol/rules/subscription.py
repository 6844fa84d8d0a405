"""The rules for Subscriptions, 3.1 to 3.17."""

from __future__ import annotations

from actors_rs.protocol.rules.rule import MONITOR, Rule

__all__ = ["SUBSCRIPTION_RULES"]

BOUNDARY = "tests/graph/test_boundary.py::"
LINK = "tests/protocol/test_link.py::"

SUBSCRIPTION_RULES = (
    Rule(
        "3.1",
        "Subscription",
        "MUST",
        "Only its own subscriber calls a subscription.",
        "Only the subscriber decides how much to take, and when to stop.",
        "Which code acts for a subscriber cannot be observed. The state machine refuses a call "
        "before on_subscribe, when no subscriber can have the subscription.",
        (LINK + "test_a_call_before_on_subscribe_breaks_3_1",),
    ),
    Rule(
        "3.2",
        "Subscription",
        "MUST",
        "request may be called from inside on_subscribe and on_next.",
        "A subscriber requests more when it has room.",
        "A request is a message, handled when the signal has returned.",
        (
            BOUNDARY + "test_a_million_requests_from_within_on_next_do_not_grow_the_stack",
            "tests/protocol/test_monitor.py::test_requests_from_inside_on_next_are_legal",
        ),
    ),
    Rule(
        "3.3",
        "Subscription",
        "MUST",
        "request calling on_next calling request ends at some depth.",
        "However long the stream, the stack does not grow with it.",
        "Ours never recur: depth one. The monitor reports on_next nested in itself deeper than "
        "its bound, 64 by default.",
        (
            MONITOR,
            BOUNDARY + "test_a_million_requests_from_within_on_next_do_not_grow_the_stack",
        ),
    ),
    Rule(
        "3.4",
        "Subscription",
        "SHOULD",
        "request returns quickly.",
        "A request costs its caller next to nothing.",
        "Ours put a message into a mailbox. The standard does not define quick, so it is not "
        "checked.",
    ),
    Rule(
        "3.5",
        "Subscription",
        "MUST",
        "cancel returns quickly, can be called again, and from any thread.",
        "A stream can be ended at any time, in every state.",
        "Ours put a message into a mailbox, and all but the first do nothing.",
        (LINK + "test_calls_after_the_end_or_a_cancel_do_nothing",),
    ),
    Rule(
        "3.6",
        "Subscription",
        "MUST",
        "After cancel, request does nothing.",
        "A cancelled subscription stays cancelled.",
        "A closed outlet ignores every request.",
        (LINK + "test_calls_after_the_end_or_a_cancel_do_nothing",),
    ),
    Rule(
        "3.7",
        "Subscription",
        "MUST",
        "After cancel, cancel does nothing.",
        "A caller need not remember whether it has cancelled.",
        "As 3.6.",
        (LINK + "test_calls_after_the_end_or_a_cancel_do_nothing",),
    ),
    Rule(
        "3.8",
        "Subscription",
        "MUST",
        "Each request adds its number to the demand.",
        "Demand adds up: no request replaces another or gets lost.",
        "Demand is one counter per link, added to in one actor.",
        (
            BOUNDARY + "test_requests_from_many_threads_add_up",
            LINK + "test_requests_add_up_and_saturate",
        ),
    ),
    Rule(
        "3.9",
        "Subscription",
        "MUST",
        "A request for less than one element ends the stream with on_error and an error about the "
        "argument, which should say that it must be positive.",
        "A miscalculated demand is an error instead of a stream that stands still.",
        "on_error with a ValueError that names this rule, the number and the stage; TypeError for "
        "an argument that is no integer. The monitor reports the call.",
        (
            MONITOR,
            BOUNDARY + "test_requesting_less_than_one_ends_in_on_error_naming_rule_3_9",
            BOUNDARY + "test_requesting_no_integer_ends_in_on_error",
        ),
    ),
    Rule(
        "3.10",
        "Subscription",
        "MAY",
        "request may deliver elements before it returns.",
        "A publisher can do all its work on the thread of the caller.",
        "Ours do not; the monitor accepts it of others.",
        ("tests/protocol/test_monitor.py::test_requests_from_inside_on_next_are_legal",),
    ),
    Rule(
        "3.11",
        "Subscription",
        "MAY",
        "request may end the stream before it returns.",
        "As 3.10, for the end.",
        "Ours do not; the monitor accepts it of others.",
        ("tests/protocol/test_monitor.py::test_requests_from_inside_on_next_are_legal",),
    ),
    Rule(
        "3.12",
        "Subscription",
        "MUST",
        "cancel makes the publisher stop signalling, sooner or later.",
        "The cancellation arrives, though not at once.",
        "A cancellation overtakes elements in the mailbox, and a slow function is stopped within "
        "one call.",
        (
            BOUNDARY + "test_cancelling_an_unbounded_request_stops_an_endless_source",
            BOUNDARY
            + "test_a_slow_function_delivers_each_element_at_once_and_ends_within_one_chunk",
        ),
    ),
    Rule(
        "3.13",
        "Subscription",
        "MUST",
        "cancel makes the publisher drop its references to the subscriber, sooner or later.",
        "Subscribers that have gone can be collected.",
        "A weak reference to the subscriber dies after the cancel.",
        (BOUNDARY + "test_a_subscriber_whose_stream_has_ended_is_kept_alive_by_nobody",),
    ),
    Rule(
        "3.14",
        "Subscription",
        "MAY",
        "A publisher with state may shut down when its last subscription is cancelled.",
        "A stream for others can end when there are no others.",
        "A cold publisher has no state to shut down: it serves the next subscriber with a new run. "
        "A hub ends with its last subscriber, unless `keep_alive` is set, and rejects later ones.",
        (
            BOUNDARY + "test_each_subscription_of_a_publisher_is_a_run_of_its_own",
            "tests/graph/test_hub_end.py::"
            "test_when_the_last_subscriber_has_cancelled_upstream_is_cancelled_and_the_run_ends",
        ),
    ),
    Rule(
        "3.15",
        "Subscription",
        "MUST",
        "cancel returns normally.",
        "A cancellation never fails for its caller.",
        "An exception of a foreign subscription becomes a dead letter; the monitor reports it.",
        (
            MONITOR,
            BOUNDARY + "test_a_publisher_that_raises_from_request_ends_the_run_and_not_the_thread",
        ),
    ),
    Rule(
        "3.16",
        "Subscription",
        "MUST",
        "request returns normally.",
        "Every failure is reported by on_error.",
        "A foreign subscription that raises fails the stage that called it; the monitor reports "
        "it.",
        (
            MONITOR,
            BOUNDARY + "test_a_publisher_that_raises_from_request_ends_the_run_and_not_the_thread",
        ),
    ),
    Rule(
        "3.17",
        "Subscription",
        "MUST",
        "request can be called without limit, and demand up to 2**63 - 1 is kept; that much or "
        "more may count as unbounded.",
        "No number that a subscriber requests overflows.",
        "Demand saturates at UNBOUNDED, and unbounded demand is not used up.",
        (LINK + "test_requests_add_up_and_saturate",),
    ),
)
"""In the order of the standard."""
