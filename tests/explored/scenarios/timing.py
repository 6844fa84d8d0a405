# mypy: disable-error-code="var-annotated, arg-type, misc, func-returns-value"
"""Operators in which time plays a part, in virtual time."""

from itertools import pairwise
from math import ceil

from actors_rs import KillSwitch, RateLimit, Sink, Source
from actors_rs.errors import StreamTimeoutError
from tests.explored.by_hand import ByHand
from tests.explored.scenario import Case, Scenario, failure_of, settle

CASES = {
    "batch": Case(
        lambda up: up(range(7)).batch(3),
        [[0, 1, 2], [3, 4, 5], [6]],
        lambda got: [x for each in got for x in each] == list(range(sum(map(len, got)))),
    ),
    "batch within": Case(
        lambda up: up(range(7)).batch(3, within=1.0),
        lambda got: [x for each in got for x in each] == list(range(7)),
        lambda got: [x for each in got for x in each] == list(range(sum(map(len, got)))),
    ),
    "batch by weight": Case(
        lambda up: up(range(1, 7)).batch(weight=lambda x: x, max_weight=6),
        [[1, 2, 3], [4], [5], [6]],
        lambda got: all(sum(each) <= 6 for each in got),
    ),
    "throttle": Case(lambda up: up(range(6)).throttle(2, per=1.0, burst=2), range(6)),
    "delay": Case(lambda up: up(range(6)).delay(1.0), range(6)),
    "debounce": Case(lambda up: up(range(6)).debounce(1.0), [5], lambda got: len(got) <= 1),
    "sample": Case(
        lambda up: up(range(6)).sample(1.0),
        lambda got: got[-1:] == [5] and got == sorted(got),
        lambda got: got == sorted(got),
    ),
    "take_within": Case(lambda up: up(range(6)).take_within(5.0), range(6)),
    "skip_within": Case(lambda up: up(range(6)).skip_within(5.0), []),
    "timeouts": Case(
        lambda up: (
            up(range(6))
            .initial_timeout(5.0)
            .idle_timeout(5.0)
            .backpressure_timeout(5000.0)
            .completion_timeout(5000.0)
        ),
        range(6),
    ),
    "keep_alive": Case(
        lambda up: up(range(6)).delay(1.0).keep_alive(10.0, -1),
        lambda got: [x for x in got if x >= 0] == list(range(6)),
        lambda got: [x for x in got if x >= 0] == list(range(len(got) - got.count(-1))),
    ),
}


def at(world, flow):
    """The elements of ``flow``, each with the second at which it came."""
    seen = []
    world.start(flow.to(Sink.for_each(lambda x: seen.append((x, world.now))))).result()
    return seen


def a_batch_is_given_in_time(world):
    """A batch that is not full is not kept for ever."""
    flow = Source.of(1, 2).append(Source.never()).batch(5, within=3.0).take(1)
    assert world.start(flow.to(Sink.list())).result() == [[1, 2]]
    assert world.now == 3.0
    settle(world)


class Twofold:
    """Asks for one batch now, and for two at the moment the time of the second one is up."""

    def __init__(self, world, when):
        self.world, self.when, self.came = world, when, []

    def on_subscribe(self, subscription):
        self.subscription = subscription
        subscription.request(1)
        self.world.system.timers.after(self.when, lambda: subscription.request(2))

    def on_next(self, batch):
        self.came.append((batch, self.world.now))
        if len(self.came) == 3:
            self.subscription.cancel()

    def on_error(self, error):
        self.came.append(error)

    def on_complete(self):
        self.came.append("complete")


def a_batch_has_its_time(world):
    """A batch that is not full comes when its time is up, not that of the one before it."""
    twofold = Twofold(world, 3.0)
    flow = Source.range(0, 5).append(Source.never()).batch(2, within=3.0)
    world.system.publisher(flow).subscribe(twofold)
    world.finish()
    assert twofold.came == [([0, 1], 0.0), ([2, 3], 3.0), ([4], 6.0)], twofold.came
    settle(world)


def throttled(world):
    """In no time more elements pass than the rate allows, and none has to wait for longer."""
    seen = at(world, Source.range(0, 7).throttle(2, per=1.0, burst=2))
    assert [x for x, _ in seen] == list(range(7))
    _no_window_holds_more(seen, burst=2, rate=2)
    assert world.now <= 3.0, f"the last came at {world.now}"
    settle(world)


def throttled_together(world):
    """That holds for all together that share a rate, however late the turn of one of them."""
    burst, seen = world.pick("burst", (1, 2)), []
    limit = RateLimit(1, per=1.0, burst=burst)
    cost = world.pick("cost", (None, lambda x: 1 + x % 2))
    flows = [Source.range(first, 3).throttle(limit, cost=cost) for first in (0, 10, 20)]
    runs = [
        world.start(flow.to(Sink.for_each(lambda x: seen.append((x, world.now))))) for flow in flows
    ]
    for run in runs:
        run.result()
    dearest = 1 if cost is None else 2
    _no_window_holds_more(seen, max(dearest, burst), 1, cost or (lambda x: 1))
    settle(world)


def _no_window_holds_more(seen, burst, rate, cost=lambda x: 1):
    """In any time t no more came than ``burst + t * rate``; ``seen`` are elements and when."""
    for first, (_, began) in enumerate(seen):
        inside = 0
        for x, when in seen[first:]:
            inside += cost(x)
            most = burst + rate * (when - began) + 1e-6
            assert inside <= most, f"{inside} from {began} to {when}: {seen}"


def a_shared_rate(world):
    """The share of a stream that is cancelled is there for the others."""
    limit = RateLimit(1, per=10.0, burst=1)
    leaving = world.start(Source.range(0, 9).throttle(limit).to(Sink.list()))
    staying = world.start(Source.range(0, 3).throttle(limit).to(Sink.list()))
    world.soon("leave", leaving.cancel)
    assert staying.result() == [0, 1, 2]
    assert world.now <= 30.0, f"it took {world.now} s"
    settle(world)


def by_cost(world):
    seen = at(world, Source.of(3, 1, 2).throttle(1, per=1.0, burst=3, cost=lambda x: x))
    assert [x for x, _ in seen] == [3, 1, 2], seen
    assert [when for _, when in seen] == [0.0, 1.0, 3.0], seen
    settle(world)


def delayed(world):
    later = [Source.timer(1.0).map(lambda _, x=x: x) for x in (1, 2, 3)]
    for x, when in at(world, Source.of(0).append(*later).delay(2.5)):
        assert when - x >= 2.5, f"{x} came at {when}"
    settle(world)


def silence(world):
    """What came before a silence is given in it, not earlier; the last one at the end."""
    flow = Source.of(1, 2).append(Source.timer(9.0).map(lambda _: 3)).debounce(2.0)
    *before, (last, when) = at(world, flow)
    assert (last, when) == (3, 9.0), (last, when)
    assert not before or (before[0][0] == 2 and before[0][1] >= 2.0), before
    settle(world)


def quiet(world):
    """Silence begins with the last element."""
    late = Source.timer(3.0).map(lambda _: 2).append(Source.timer(9.0).map(lambda _: 3))
    flow = Source.timer(1.0).map(lambda _: 1).append(late).debounce(4.0)
    for x, when in at(world, flow):
        assert when >= {1: 5.0, 2: 8.0, 3: 13.0}[x], f"{x} came at {when}"
    settle(world)


def behind_the_time_skipped(world):
    """What comes within the time is dropped, what comes behind it is not."""
    asker = ByHand(world, Source.tick(2.0).skip_within(3.0))
    asker.ask(9)
    for seconds in (2.5, 1.0, 3.0):  # one timer in each: those of one sleep may ring together
        world.sleep(seconds)
    assert asker.came == [(1, 4.0), (2, 6.0)], asker.came
    asker.subscription.cancel()
    settle(world)


def ticks_nobody_asks_for(world):
    """A tick at which nobody asks is left out, with its number; the beat goes on."""
    asker = ByHand(world, Source.tick(1.0))
    asker.ask(1)
    world.sleep(3.5)
    asker.ask(2)
    world.sleep(3.0)
    assert asker.came == [(0, 1.0), (3, 4.0), (4, 5.0)], asker.came
    asker.subscription.cancel()
    settle(world)


def a_timer_nobody_asks_for(world):
    """The element waits until somebody asks, and the end with it."""
    asker = ByHand(world, Source.timer(world.pick("seconds", (1.0, 3.0))))
    world.sleep(2.0)
    assert (asker.came, asker.end) == ([], None), asker.came
    asker.ask(1)
    world.sleep(2.0)
    assert (asker.elements, asker.end) == ([0], "complete"), asker.came
    settle(world)


def late_but_not_the_first(world):
    """A first element in time is all that an initial timeout asks for."""
    late = Source.timer(9.0).append(Source.timer(9.0))
    seen = at(world, Source.of(1).append(late).initial_timeout(5.0))
    assert seen == [(1, 0.0), (0, 9.0), (0, 18.0)], seen
    settle(world)


def held_up_but_moving(world):
    """The time in which nothing is asked for begins anew with each element that moves."""
    asker = ByHand(world, Source.range(0, 9).backpressure_timeout(5.0))
    for _ in range(4):
        asker.ask(1)
        world.sleep(3.0)
    assert (asker.elements, asker.end) == ([0, 1, 2, 3], None), asker.end
    asker.subscription.cancel()
    settle(world)


def ended_when_the_time_was_up(world):
    """A stream whose end has arrived when the stage looks at the time is not failed."""
    run = world.start(Source.timer(5.0).completion_timeout(5.0).to(Sink.list()))
    timeout = next(one for one in run._scope.stages() if one.kind == "completion_timeout")
    failure = failure_of(run)
    assert failure is None or not timeout.logic.inlet.done, f"had ended, and {failure!r}"
    settle(world)


def in_time_but_not_asked_for(world):
    """What came in time is given, however late it is asked for."""
    flow = Source.range(0, 6).take_within(1.0).throttle(1, per=5.0, burst=1)
    run = world.start(flow.with_attributes(window=1).to(Sink.list()))
    world.settle()
    inlet = next(one for one in run._scope.stages() if one.kind == "take_within").logic.inlets[0]
    in_time = inlet.count + inlet.buffered
    got = run.result()
    assert got == list(range(len(got))), got
    assert len(got) >= in_time, f"{in_time} came in time, {len(got)} were given"
    settle(world)


def kept_alive(world):
    """Something is given after each silence, and after nothing else."""
    flow = Source.of(1).append(Source.timer(5.0).map(lambda _: 2)).keep_alive(2.0, "still here")
    seen = at(world, flow)
    assert [x for x, _ in seen if x != "still here"] == [1, 2], seen
    for (_, before), (x, when) in pairwise(seen):
        assert x != "still here" or when - before >= 2.0, seen
    endless = Source.of(1).append(Source.never()).keep_alive(2.0, 0).take(3)
    assert world.start(endless.to(Sink.list())).result() == [1, 0, 0]
    settle(world)


def sampled(world):
    """What is newest at a tick is given, once; the newest of all at the end."""
    came = {}
    flow = Source.tick(1.0).map(lambda x: came.setdefault(x, world.now) and x).take(6).sample(2.0)
    seen = at(world, flow)
    got = [x for x, _ in seen]
    assert got == sorted(set(got)), got
    assert got[-1] == [*came][5], (got, came)
    for x, when in seen[:-1]:
        assert when >= ceil(came[x] / 2.0) * 2.0, f"{x} came at {came[x]} and was given at {when}"
    settle(world)


def fails_in_time(world):
    """Each timeout fires when it is due, and no other does."""
    way = world.pick("timeout", ("initial", "idle", "completion", "backpressure"))
    never = Source.never()
    flow = {
        "initial": lambda: never.initial_timeout(5.0),
        "idle": lambda: Source.timer(2.0).append(never).idle_timeout(5.0),
        "completion": lambda: Source.tick(1.0).completion_timeout(5.0),
        "backpressure": lambda: (
            Source.range(0, 9)
            .backpressure_timeout(5.0)
            .throttle(1, per=1000.0, burst=1)
            .with_attributes(window=1)
        ),
    }[way]()
    failure = failure_of(world.start(flow.to(Sink.list())))
    assert isinstance(failure, StreamTimeoutError), repr(failure)
    assert way in str(failure), failure
    assert world.now >= 5.0, world.now
    settle(world)


def nobody_asks(world):
    """A stream that is held up from behind is not idle."""
    flow = Source.range(0, 4).idle_timeout(5.0).with_attributes(window=1)
    seen = at(world, flow.throttle(1, per=20.0, burst=1).with_attributes(window=1))
    assert [x for x, _ in seen] == [0, 1, 2, 3]
    settle(world)


def just_in_time(world):
    """All that came in time is given; at the moment the time is up either way is right."""
    came = []
    ticks = Source.tick(1.0).map(lambda x: came.append((x, world.now)) or x)
    run = world.start(ticks.take_within(5.0).to(Sink.list()))
    got = run.result()
    in_time = [x for x, when in came if when < 5.0]
    assert got[: len(in_time)] == in_time, (got, came)
    assert len(got) <= len(in_time) + 1, (got, came)
    settle(world)


def switched(world):
    """A kill switch ends a stream at whatever moment, also one in which nothing flows."""
    switch = KillSwitch()
    run = world.start(Source.of(1, 2).append(Source.never()).kill_switch(switch).to(Sink.list()))
    world.soon("switch", switch.shutdown)
    assert run.result() in ([], [1], [1, 2])
    settle(world)


def aborted(world):
    switch, error = KillSwitch(), OSError("enough")
    runs = [
        world.start(Source.never().kill_switch(switch).map(int).to(Sink.list())) for _ in range(2)
    ]
    world.soon("abort", lambda: switch.abort(error))
    for run in runs:
        assert failure_of(run) is error
    settle(world)


SCENARIOS = [
    Scenario("a batch is given in time", a_batch_is_given_in_time),
    Scenario("a batch has its time", a_batch_has_its_time, (5,)),
    Scenario("throttled", throttled),
    Scenario("throttled together", throttled_together),
    Scenario("a shared rate", a_shared_rate),
    Scenario("by cost", by_cost),
    Scenario("delayed", delayed),
    Scenario("silence", silence),
    Scenario("quiet", quiet),
    Scenario("in time but not asked for", in_time_but_not_asked_for, (4, 2)),
    Scenario("behind the time skipped", behind_the_time_skipped),
    Scenario("ticks nobody asks for", ticks_nobody_asks_for),
    Scenario("a timer nobody asks for", a_timer_nobody_asks_for),
    Scenario("late but not the first", late_but_not_the_first),
    Scenario("held up but moving", held_up_but_moving, (4,)),
    Scenario("ended when the time was up", ended_when_the_time_was_up),
    Scenario("kept alive", kept_alive),
    Scenario("sampled", sampled),
    Scenario("fails in time", fails_in_time, (1, 2)),
    Scenario("nobody asks", nobody_asks),
    Scenario("just in time", just_in_time),
    Scenario("switched", switched),
    Scenario("aborted", aborted),
]
