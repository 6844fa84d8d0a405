"""What a type checker knows of chains with time, rates, recovery and loops in them."""

from typing import assert_type

from actors_rs import Backoff, Feedback, Flow, KillSwitch, RateLimit, Sink, Source, StreamState


def note(state: StreamState) -> None:
    """Takes a monitor's news."""


def joined(text: str, n: int) -> str:
    """One more."""
    return text + str(n)


def test_types_flow_through_timed_operators_and_rates() -> None:
    numbers = Source.range(0, 3)
    assert_type(numbers.throttle(1e9, cost=float), Source[int])
    assert_type(numbers.throttle(RateLimit(1)).delay(1).idle_timeout(1), Source[int])
    assert_type(numbers.buffer(2, "drop_oldest"), Source[int])
    assert_type(numbers.conflate(str, joined), Source[str])
    assert_type(numbers.expand(lambda n: [str(n)]), Source[str])
    assert_type(Source.tick(1), Source[int])


def test_types_flow_through_recovery_and_life_cycle() -> None:
    texts = Flow[int, str]().kill_switch(KillSwitch()).monitor(note)
    assert_type(texts, Flow[int, str])
    assert_type(texts.recover(lambda _: 0), Flow[int, str | int])
    assert_type(texts.recover_with(Source.of(1.5)), Flow[int, str | float])
    called = Source.range(0, 3).map_async(str, 2).retry(Backoff(), when=bool)
    assert_type(called, Source[str])


def test_types_flow_round_a_loop() -> None:
    loop = Feedback[int](8)
    assert_type(loop.source, Source[int])
    assert_type(loop.sink, Sink[int, None])
