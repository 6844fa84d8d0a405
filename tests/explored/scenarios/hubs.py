# mypy: disable-error-code="var-annotated, arg-type, misc, union-attr"
"""Hot streams: subscribers and sources that come and go."""

from actors_rs import Sink, Source
from actors_rs.errors import SlowSubscriberError
from actors_rs.testing.explore import FreeSubscriber
from tests.explored.scenario import Scenario, Sources, part_of, settle, steady


def all_hear_the_same(world):
    """Those that come in time hear all from the beginning, those that leave hold nobody up."""
    sources = Sources()
    hub = sources(range(6)).hub(world.system, replay=2)
    staying, leaving = FreeSubscriber(world, cancels=False), FreeSubscriber(world)
    for subscriber in (staying, leaving):
        hub.subscribe(subscriber)
    world.finish()
    assert staying.elements == list(range(6)), staying.elements
    assert staying.end == "complete", staying.end
    assert leaving.elements == list(range(len(leaving.elements))), leaving.elements
    settle(world)
    sources.check()


def latecomers_hear_what_is_held(world):
    hub = Source.range(0, 6).hub(world.system, replay=4)
    first, late = (FreeSubscriber(world, cancels=False) for _ in range(2))
    hub.subscribe(first)
    if world.pick("when", ("behind the end", "soon")) == "soon":
        world.soon("come", lambda: hub.subscribe(late))
    else:
        world.finish()
        hub.subscribe(late)
    world.settle()
    assert first.elements == list(range(6)), first.elements
    assert late.elements == list(range(6 - len(late.elements), 6)), late.elements
    assert len(late.elements) >= 4, late.elements
    assert (first.end, late.end) == ("complete", "complete")
    settle(world)


class Asleep(FreeSubscriber):
    """Asks once, and then for nothing for a long time."""

    def _ask(self):
        if not self.elements and self._outstanding == 0 and self._subscription is not None:
            self.request(1)

    def wake(self):
        self.request(100)


def the_slow_hold_up_the_others(world):
    """Under back-pressure nobody misses anything, however slow somebody is."""
    hub = Source.range(0, 8).hub(world.system, replay=2)
    slow, fast = Asleep(world, cancels=False), FreeSubscriber(world, cancels=False)
    hub.subscribe(slow)
    hub.subscribe(fast)
    world.settle()
    assert len(fast.elements) <= len(slow.elements) + 2, (slow.elements, fast.elements)
    slow.wake()
    world.finish()
    assert slow.elements == fast.elements == list(range(8)), (slow.elements, fast.elements)
    settle(world)


def slow_and_fast(world, on_slow):
    """Two subscribers to one hub, which has come to rest before the first of them goes on."""
    hub = Source.range(0, 8).hub(world.system, replay=2, on_slow=on_slow)
    slow, fast = Asleep(world, cancels=False), FreeSubscriber(world, cancels=False)
    hub.subscribe(slow)
    hub.subscribe(fast)
    world.settle()
    slow.wake()
    world.finish()
    return hub, slow, fast


def the_slow_miss_what_is_counted(world):
    hub, slow, fast = slow_and_fast(world, "drop")
    assert fast.elements == list(range(8)), fast.elements
    dropped = hub.run.snapshot().stages[-1].details["dropped"]
    begin = slow.elements[0]  # it misses nothing before its first request
    assert len(slow.elements) + dropped == 8 - begin, (slow.elements, dropped)
    assert slow.elements == sorted(slow.elements), slow.elements
    settle(world)


def the_slow_are_failed(world):
    """Who falls behind gets an error in its place, and the others get all."""
    _, slow, fast = slow_and_fast(world, "fail")
    assert fast.elements == list(range(8)), fast.elements
    assert fast.end == "complete", fast.end
    begin = slow.elements[0] if slow.elements else 0  # it is not slow before its first request
    assert slow.elements == list(range(begin, begin + len(slow.elements))), slow.elements
    if slow.end == "complete":
        assert slow.elements[-1] == 7, slow.elements
    else:
        assert isinstance(slow.end, SlowSubscriberError), slow.end
    settle(world)


def deserted(world):
    """The hub lets go of its source when the last subscriber has left."""
    sources = Sources()
    hub = sources([*range(400)]).hub(world.system, replay=1)
    subscribers = [FreeSubscriber(world) for _ in range(2)]
    for subscriber in subscribers:
        hub.subscribe(subscriber)
        world.soon("leave", subscriber.cancel)
    world.finish()
    settle(world)
    sources.check()


def shared_out(world):
    """Each element goes to one, whom ``f`` has chosen for it once."""
    chosen = []

    def f(x, count):
        chosen.append(x)
        return x % count

    hub = Source.range(0, 8).partition_hub(world.system, f)
    subscribers = [FreeSubscriber(world, cancels=False) for _ in range(2)]
    for subscriber in subscribers:
        hub.subscribe(subscriber)
    world.finish()
    one, other = (subscriber.elements for subscriber in subscribers)
    assert one == sorted(one), one
    assert other == sorted(other), other
    assert sorted([*one, *other]) == list(range(8)), (one, other)
    assert chosen == list(range(8)), chosen
    settle(world)


class Leaving(FreeSubscriber):
    """Asks for one at a time, and leaves behind so many."""

    def __init__(self, world, behind):
        super().__init__(world, cancels=False)
        self.behind = behind

    def _ask(self):
        if self._outstanding == 0 and len(self.elements) < self.behind:
            self.request(1)

    def on_next(self, element, /):
        super().on_next(element)
        if len(self.elements) == self.behind:
            self.cancel()


def shared_out_among_fewer(world):
    """What was for one that left goes to those that stay, and nothing that it got."""
    sources = Sources()
    hub = sources(range(8)).partition_hub(world.system, lambda x, count: x % count)
    staying = FreeSubscriber(world, cancels=False)
    leaving = [Leaving(world, world.pick("behind", (1, 2))) for _ in range(2)]
    for subscriber in (leaving[0], staying, leaving[1]):
        hub.subscribe(subscriber)
    world.finish()
    assert staying.end == "complete", staying.end
    given = [subscriber.elements for subscriber in (staying, *leaving)]
    assert all(part == sorted(part) for part in given), given
    assert sorted(x for part in given for x in part) == list(range(8)), given
    settle(world)
    sources.check()


LOW, HIGH = range(4), range(10, 14)


def attached_streams(world):
    """All that is attached is heard, whether it comes before or while the stream runs."""
    sources, hub = Sources(), Source.merge_hub()
    hub.attach(sources(LOW))
    subscriber = FreeSubscriber(world, cancels=False)
    world.system.publisher(hub.source).subscribe(subscriber)

    def come():
        hub.attach(sources(HIGH).map(int))
        hub.close()

    world.soon("come", come)
    world.finish()
    assert subscriber.end == "complete", subscriber.end
    assert steady(LOW, HIGH)(subscriber.elements), subscriber.elements
    settle(world)
    sources.check()


def detached_streams(world):
    """A stream that is taken off ends, and so does a hub whose stream is cancelled."""
    sources, hub = Sources(), Source.merge_hub()
    going = hub.attach(sources(range(900)))
    hub.attach(sources(range(1000, 1004)).map(int))
    run = world.start(hub.source.to(Sink.list()))
    world.soon("take off", going.cancel)
    hub.close()
    got = run.result()
    assert part_of(range(900), range(1000, 1004))(got), got
    assert got.count(1003) == 1, got
    settle(world)
    sources.check()


def a_failing_stream_of_a_hub(world):
    """One that fails is a dead letter, and the others go on."""
    hub = Source.merge_hub()
    hub.attach(Source.range(0, 4).map(lambda x: 1 // (2 - x)))
    hub.attach(Source.range(10, 4).map(int))
    hub.close()
    got = world.start(hub.source.to(Sink.list())).result()
    assert [x for x in got if x >= 10] == [10, 11, 12, 13], got
    assert world.system.dead_letters.total == 1
    settle(world)


CASES = {}
SCENARIOS = [
    Scenario("all hear the same", all_hear_the_same),
    Scenario("latecomers hear what is held", latecomers_hear_what_is_held),
    Scenario("the slow hold up the others", the_slow_hold_up_the_others),
    Scenario("the slow miss what is counted", the_slow_miss_what_is_counted),
    Scenario("the slow are failed", the_slow_are_failed),
    Scenario("deserted", deserted),
    Scenario("shared out", shared_out),
    Scenario("shared out among fewer", shared_out_among_fewer),
    Scenario("attached streams", attached_streams),
    Scenario("detached streams", detached_streams, (4, 2)),
    Scenario("a failing stream of a hub", a_failing_stream_of_a_hub),
]
