"""The rules for Processors, 4.1 and 4.2."""

from __future__ import annotations

from actors_rs.protocol.rules.rule import Rule

__all__ = ["PROCESSOR_RULES"]

BOUNDARY = "tests/graph/test_boundary.py::"
PROCESSOR = "tests/graph/test_processor.py::"

PROCESSOR_RULES = (
    Rule(
        "4.1",
        "Processor",
        "MUST",
        "A processor is a Subscriber and a Publisher, and keeps the rules of both.",
        "It fits in every place of a Subscriber or a Publisher.",
        "Both ends of our processors are the ends of our subscribers and publishers, and the "
        "links between them are the links of any run.",
        (
            BOUNDARY + "test_publisher_processor_and_subscriber_of_ours_fit_together",
            PROCESSOR + "test_a_processor_asks_only_when_it_is_asked",
        ),
    ),
    Rule(
        "4.2",
        "Processor",
        "MAY",
        "A processor may recover from on_error; its upstream then counts as cancelled. If it does "
        "not, it passes the error on at once.",
        "Downstream does not wait for a stream that has failed.",
        "Ours pass the error on after the elements before it. The error itself needs no demand.",
        (PROCESSOR + "test_a_processor_hands_errors_and_cancellation_through",),
    ),
)
"""In the order of the standard."""
