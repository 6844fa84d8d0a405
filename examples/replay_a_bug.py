"""A bug that shows in some orders only: find it, make it again, and mend it.

    python examples/replay_a_bug.py

A theatre sells its last seat, at the counter and on the web. The code asks how many seats are
left, and takes one in a second message. Now and then both customers get the seat: with threads
rarely, and not while you look. A deterministic world plays one order after the other until one
fails, and gives this order a name: its trace. Played again, the trace fails each time.
"""

from collections.abc import Callable
from typing import Any

from actors_rs import PooledActor, Sink, Source, merge
from actors_rs.testing.explore import Plan, Trace, replay, search
from actors_rs.testing.world import World

PLAN = Plan(runs=500)

Scenario = Callable[[World], None]


class Seats(PooledActor):
    """Knows how many seats are left, and handles one message after the other."""

    def __init__(self, left: int) -> None:
        super().__init__()
        self.left = left

    def on_receive(self, message: str) -> int | bool:
        """The number of seats for ``"left?"``; else, whether the customer got a seat."""
        if message == "left?":
            return self.left
        if message == "take one if you can" and self.left == 0:
            return False
        self.left -= 1
        return True


def sell_in_two_steps(seats: Any, customer: str) -> str | None:
    """The bug: the answer to the question may be wrong when the seat is taken."""
    if seats.ask("left?") == 0:
        return None
    seats.ask("take one")
    return customer


def sell_in_one_step(seats: Any, customer: str) -> str | None:
    """The repair: the actor looks and takes within one message."""
    return customer if seats.ask("take one if you can") else None


def last_seat_is_sold_once(sell: Callable[[Any, str], str | None]) -> Scenario:
    """The test, for one way to sell. It uses a graph and an actor as the real program does."""

    def scenario(world: World) -> None:
        seats = world.system.spawn(Seats, 1)
        on_the_web = Source.of("ann").map(str.title)
        at_the_counter = Source.of("Bob")
        sold = merge(
            on_the_web.map_async(lambda customer: sell(seats, customer)),
            at_the_counter.map_async(lambda customer: sell(seats, customer)),
        ).map_not_none(lambda customer: customer)
        customers = world.start(sold.to(Sink.list())).result()
        assert len(customers) == 1, f"one seat was sold to {' and '.join(sorted(customers))}"

    return scenario


def fails_again(scenario: Scenario, trace: Trace) -> bool:
    """Whether the run of ``trace`` fails, as it did when it was found."""
    try:
        replay(scenario, PLAN, trace)
    except AssertionError:
        return True
    return False


def main() -> None:
    """Find the bug, play it three times, and search the repaired program."""
    buggy = last_seat_is_sold_once(sell_in_two_steps)
    failure = search(buggy, PLAN).failure
    if failure is None:
        raise RuntimeError("the bug was not found")
    print("found:", failure.error)
    trace = Trace.parse(str(failure.trace))  # the text can be kept in a bug report
    print("three times again:", *(fails_again(buggy, trace) for _ in range(3)))
    repaired = search(last_seat_is_sold_once(sell_in_one_step), PLAN)
    print(f"repaired: {repaired.runs} orders played, failure: {repaired.failure}")


if __name__ == "__main__":
    main()
