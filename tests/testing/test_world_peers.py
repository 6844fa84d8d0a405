# mypy: disable-error-code="var-annotated, union-attr, arg-type"
"""What peers that are no actors tell each other is a part of what a world tells of its run."""

from functools import partial
from itertools import count

import pytest

from actors_rs import Flow, Source
from actors_rs.errors import NondeterminismError
from actors_rs.testing.decisions import TraceMisfit
from actors_rs.testing.explore import (
    FreePublisher,
    FreeSubscriber,
    Plan,
    check_scenario,
    search,
)
from actors_rs.testing.world import World, sequence_diagram

pytestmark = pytest.mark.usefixtures("by_itself")


class Mine:
    """A Publisher as a user writes it, with no actor in it."""

    def __init__(self, elements):
        self.left, self.over = list(elements), False

    def subscribe(self, subscriber, /):
        self.subscriber = subscriber
        subscriber.on_subscribe(self)

    def request(self, n, /):
        while n and self.left and not self.over:
            n -= 1
            self.subscriber.on_next(self.left.pop(0))
        if not self.left and not self.over:
            self.over = True
            self.subscriber.on_complete()

    def cancel(self):
        self.over = True


class Yours:
    """A Subscriber as a user writes it."""

    def on_subscribe(self, subscription):
        subscription.request(2)

    def on_next(self, element):
        self.got = element

    def on_complete(self):
        self.got = None


def told_by(world, publisher):
    """The deliveries of a world in which a dull subscriber has subscribed to ``publisher``."""
    with world:
        publisher.subscribe(FreeSubscriber(world))
    return [(one.sender, one.receiver, one.message) for one in world.deliveries()]


def test_all_signals_between_a_free_subscriber_and_a_publisher_of_the_users_are_told():
    assert told_by(World(), Mine("ab")) == [
        ("Mine", "FreeSubscriber", "on_subscribe"),
        ("FreeSubscriber", "Mine", "request 9223372036854775807"),
        ("Mine", "FreeSubscriber", "on_next 'a'"),
        ("Mine", "FreeSubscriber", "on_next 'b'"),
        ("Mine", "FreeSubscriber", "on_complete"),
    ]


def test_signals_between_two_free_peers_are_told_once():
    world = World()
    assert told_by(world, FreePublisher(world, [7], OSError("gone"))) == [
        ("FreePublisher", "FreeSubscriber", "on_subscribe"),
        ("FreeSubscriber", "FreePublisher", "request 9223372036854775807"),
        ("FreePublisher", "FreeSubscriber", "on_next 7"),
        ("FreePublisher", "FreeSubscriber", "on_error OSError('gone')"),
    ]


def test_all_signals_between_a_free_publisher_and_a_subscriber_of_the_users_are_told():
    with World() as world:
        FreePublisher(world, [1]).subscribe(Yours())
    assert [str(one).partition(": ")[2] for one in world.deliveries()] == [
        "FreePublisher -> Yours: on_subscribe",
        "Yours -> FreePublisher: request 2",
        "FreePublisher -> Yours: on_next 1",
        "FreePublisher -> Yours: on_complete",
    ]


def test_what_goes_to_and_from_an_actor_is_told_with_the_peer_that_sent_or_got_it():
    with World() as world:
        processor = world.system.processor(Flow().map(str))
        processor.subscribe(FreeSubscriber(world))
        FreePublisher(world, [1]).subscribe(processor)
    told = [(one.sender, one.receiver, one.message) for one in world.deliveries()]
    assert ("map", "FreeSubscriber", "on_next '1'") in told
    assert ("map", "FreePublisher", "request 4") in told
    assert [one[2] for one in told if one[:2] == ("FreeSubscriber", "map")]
    assert [one[2] for one in told if one[:2] == ("FreePublisher", "map")]
    assert not [one for one in told if "ForeignSubscription" in one or "outside" in one[:1]]


def test_what_differs_between_foreign_peers_is_another_behaviour():
    seen = set()

    def scenario(world):
        subscriber = FreeSubscriber(world)
        Mine([1, 2, 3]).subscribe(subscriber)
        world.finish()
        seen.add((tuple(subscriber.elements), str(subscriber.end)))

    assert len(check_scenario(scenario, Plan(runs=1000)).behaviours) >= len(seen) == 5


def test_a_publisher_that_sends_something_else_each_time_is_found():
    numbers = count()

    def scenario(world):
        Mine([next(numbers)]).subscribe(FreeSubscriber(world))

    with pytest.raises(NondeterminismError, match=r"first '.*on_next 0', then '.*on_next 1'"):
        check_scenario(scenario, Plan(runs=300))


def test_what_the_last_actor_gives_a_foreign_peer_is_compared_too():
    numbers = count()

    def scenario(world):
        flow = Source.of(1).map(lambda x: (x, next(numbers))).fuse()
        world.system.publisher(flow).subscribe(FreeSubscriber(world, cancels=False))

    with pytest.raises(NondeterminismError, match=r"first '.*on_next \[1, 0\]', then"):
        check_scenario(scenario, Plan(runs=300))


def test_a_failure_among_foreign_peers_shows_what_they_told_each_other():
    def scenario(world):
        subscriber = FreeSubscriber(world)
        Mine([1, 2]).subscribe(subscriber)
        world.settle()
        assert subscriber.elements != [1, 2]

    with pytest.raises(AssertionError) as caught:
        check_scenario(scenario)
    notes = "\n".join(caught.value.__notes__)
    for told in ("Mine", "on_subscribe", "request 9223372036854775807", "on_next 2"):
        assert told in notes


def test_a_trace_names_the_peers_where_there_is_no_actor():
    def scenario(world, many):
        for _ in range(many):
            Mine([1]).subscribe(FreeSubscriber(world))
        assert not many

    one, two = (search(partial(scenario, many=many), Plan()).failure.trace for many in (1, 2))
    assert one.graph != two.graph
    with World() as world:
        scenario(world, 0)
    with pytest.raises(TraceMisfit, match="of another graph"):
        one.check_graph(world.graph)


def test_peers_of_one_class_are_told_apart():
    with World() as world:
        for _ in range(2):
            FreePublisher(world, [1]).subscribe(FreeSubscriber(world))
    head = sequence_diagram(world.deliveries())[0].split()
    assert len(head) == len(set(head)) == 1 + 4


def test_streams_that_peers_were_given_are_not_kept_by_the_log():
    stream = Source.of(1)
    with World() as world:
        Mine([[stream]]).subscribe(FreeSubscriber(world))
        world.soon("later", int)
        world.settle()
        world.system.forget_delivered()
    assert "on_next [Flow]" in [one.message for one in world.deliveries()]
    messages = [message for _, _, message in world._dispatcher.log.taken]
    assert [len(one.args[0]) for one in messages if one.kind == "on_next"] == [1]
    assert not [one for one in messages if one.kind == "on_next" and stream in one.args[0]]


def test_the_order_in_which_actors_signal_to_one_peer_is_searched_exhaustively():
    orders = set()

    class Both(FreeSubscriber):
        def on_subscribe(self, subscription, /):
            self._got("on_subscribe")
            subscription.request(5)

    def scenario(world):
        both = Both(world)
        for x in (1, 2):
            world.system.publisher(Source.of(x)).subscribe(both)
        world.settle()
        orders.add(tuple(both.elements))
        world.violations.clear()

    plan = Plan(runs=2_000, portfolio=("exhaustive",), windows=(4,))
    assert check_scenario(scenario, plan).complete
    assert orders == {(1, 2), (2, 1)}
