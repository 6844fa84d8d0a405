"""Ten million requests inside ``on_next`` (3.3)."""

from __future__ import annotations

import pytest

from tests.conformance.asking import ask_inside_on_next


@pytest.mark.timeout(600)
def test_ten_million_requests_inside_on_next_do_not_grow_the_stack() -> None:
    subscriber = ask_inside_on_next(10_000_000, seconds=590)
    assert subscriber.asked == 10_000_000
    assert len(subscriber.depths) == 1
