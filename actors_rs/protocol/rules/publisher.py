"""The rules for Publishers, 1.1 to 1.11."""

from __future__ import annotations

from actors_rs.protocol.rules.rule import MONITOR, Rule

__all__ = ["PUBLISHER_RULES"]

BOUNDARY = "tests/graph/test_boundary.py::"
HUB = "tests/graph/test_hub.py::"
PEERS = "tests/conformance/test_foreign_peers.py::"
PROCESSOR = "tests/graph/test_processor.py::"

PUBLISHER_RULES = (
    Rule(
        "1.1",
        "Publisher",
        "MUST",
        "At no time has a subscriber been given more elements than it has requested so far.",
        "Demand comes first and elements answer it, so the receiver bounds the elements that it "
        "must hold.",
        "An outlet refuses to emit beyond its demand; an inlet ends a link that overproduces.",
        (
            MONITOR,
            BOUNDARY + "test_a_subscriber_gets_what_it_asked_for_and_no_more",
            BOUNDARY + "test_a_publisher_that_overproduces_ends_its_link_with_rule_1_1",
        ),
    ),
    Rule(
        "1.2",
        "Publisher",
        "MAY",
        "A stream can end, well or badly, before everything requested has been delivered.",
        "A publisher need not know beforehand how many elements it will have.",
        "Demand left over at the end means nothing to us; the monitor accepts any end in time.",
        ("tests/protocol/test_link.py::test_a_stream_may_end_with_demand_left",),
    ),
    Rule(
        "1.3",
        "Publisher",
        "MUST",
        "The signals to one subscriber come one after another: each has returned before the next "
        "begins, and what one did is visible to the next.",
        "A subscriber needs no lock of its own, however many threads a publisher uses.",
        "All signals of a link come from the turns of one actor. Signals of a foreign publisher "
        "that overlap end their link; the monitor reports them with both stacks.",
        (MONITOR, BOUNDARY + "test_requests_from_many_threads_add_up"),
    ),
    Rule(
        "1.4",
        "Publisher",
        "MUST",
        "A publisher that cannot go on calls on_error of its subscriber.",
        "A subscriber that waits can release its resources, and never waits in vain.",
        "A failing stage fails all its outlets. The silence of a failed foreign publisher is "
        "visible only if it fails on purpose.",
        (BOUNDARY + "test_none_ends_in_on_error_naming_rule_2_13_and_the_stage_that_gave_it",),
    ),
    Rule(
        "1.5",
        "Publisher",
        "MUST",
        "A finite stream that went well ends with on_complete.",
        "The subscriber learns that it has everything and can finish its own work.",
        "A stage without further elements completes its outlets. Tests wait for the end of each "
        "finite stream.",
        (BOUNDARY + "test_each_subscription_of_a_publisher_is_a_run_of_its_own",),
    ),
    Rule(
        "1.6",
        "Publisher",
        "MUST",
        "After on_error or on_complete the subscription counts as cancelled.",
        "All that holds for a cancelled subscription holds for an ended one: its calls do nothing.",
        "An ended outlet has no demand and takes none; the link's state machine treats both alike.",
        ("tests/protocol/test_link.py::test_calls_after_the_end_or_a_cancel_do_nothing",),
    ),
    Rule(
        "1.7",
        "Publisher",
        "MUST",
        "Nothing is signalled after on_error or on_complete.",
        "The end is the end: a subscriber may forget all about the stream.",
        "A closed outlet emits nothing. A signal of a foreign publisher after its end ends the "
        "link. If the stage downstream has ended as well, the signal is reported and changes "
        "nothing.",
        (
            MONITOR,
            PEERS + "test_a_signal_behind_the_end_ends_the_link_with_the_rule",
            BOUNDARY + "test_a_signal_behind_a_run_that_has_ended_is_reported_and_changes_nothing",
        ),
    ),
    Rule(
        "1.8",
        "Publisher",
        "MUST",
        "Some time after a cancellation, the subscriber receives no further signals.",
        "A cancellation takes effect, though not at once: signals may be in flight.",
        "No time is set, so a single late element breaks nothing: the monitor counts late "
        "elements, and never lets them exceed what had been requested (1.1).",
        (
            BOUNDARY + "test_cancelling_an_unbounded_request_stops_an_endless_source",
            "tests/protocol/test_link.py::test_elements_after_a_cancel_are_counted_as_late",
        ),
    ),
    Rule(
        "1.9",
        "Publisher",
        "MUST",
        "subscribe calls on_subscribe before any other signal and returns normally. It raises "
        "only for a missing subscriber; a rejected subscriber receives on_subscribe, then "
        "on_error.",
        "A subscriber can always set itself up first, and refusals arrive where failures do.",
        "TypeError for None or for an object without a subscriber's methods. The monitor reports "
        "any "
        "signal that comes before on_subscribe.",
        (
            MONITOR,
            BOUNDARY + "test_none_is_refused_wherever_the_standard_forbids_it",
            BOUNDARY + "test_subscribing_after_the_shutdown_ends_in_on_error",
        ),
    ),
    Rule(
        "1.10",
        "Publisher",
        "MAY",
        "subscribe can be called any number of times, each time with another subscriber.",
        "A subscriber need not distinguish two streams.",
        "A cold publisher does not remember its subscribers. The subscriber's side reports a "
        "second on_subscribe (2.12).",
        (BOUNDARY + "test_a_second_on_subscribe_is_cancelled_and_reported",),
    ),
    Rule(
        "1.11",
        "Publisher",
        "MAY",
        "A publisher decides how many subscribers it serves and whether they share elements.",
        "Cold, hot and one-time publishers are all legal.",
        "The publisher of a source is cold: a run for each subscriber. The subscribers of a "
        "processor share its elements, at the pace of the slowest; the subscribers of a hub share "
        "them by its options.",
        (
            HUB + "test_all_subscribers_get_the_same_elements_at_their_own_paces",
            BOUNDARY + "test_each_subscription_of_a_publisher_is_a_run_of_its_own",
            PROCESSOR + "test_a_processor_serves_all_subscribers_at_the_pace_of_the_slowest",
        ),
    ),
)
"""In the order of the standard."""
