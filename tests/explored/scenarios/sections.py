# mypy: disable-error-code="var-annotated, arg-type"
"""Sections that are made anew when they fail."""

from collections import Counter

from actors_rs import Flow, Sink, pipe
from actors_rs.errors import StageError
from actors_rs.runtime.backoff import Backoff
from tests.explored.scenario import Scenario, Sources, failure_of, settle

WAIT = Backoff(1.0, 1.0, jitter=0)


class Flaky:
    """A function that raises once for each of some elements."""

    def __init__(self, *bad):
        self.bad = list(bad)

    def __call__(self, x):
        if x in self.bad:
            self.bad.remove(x)
            raise KeyError(x)
        return x


def lost_in(world):
    return [one.what for one in world.system.dead_letters.recent() if one.what is not None]


def behind(flow):
    return pipe(Flow().map(int), flow)


def every_element_is_given_or_reported(world):
    """What went into a section that failed is given, or a dead letter; nothing comes twice."""
    sources = Sources()
    flaky = Flow().map(Flaky(2, 5))
    body = flaky.map(int) if world.pick("fails", ("first", "second")) == "first" else behind(flaky)
    flow = pipe(sources(range(9)), body.restart(WAIT))
    got = world.start(flow.to(Sink.list())).result()
    assert got == sorted(got), got
    both = Counter(got) + Counter(lost_in(world))
    assert both == Counter(range(9)), f"given {got}, reported {lost_in(world)}"
    settle(world)
    sources.check()


def a_source_begins_anew(world):
    """A source that fails is begun again, one life at a time, and released each time."""
    sources, flaky = Sources(), Flaky(1, 2)
    flow = sources(range(3)).map(flaky).restart(WAIT)
    got = world.start(flow.to(Sink.list())).result()
    assert got[-3:] == [0, 1, 2], got
    assert sources.begun == 3, sources.begun
    assert sources.most == 1, f"{sources.most} lives at a time"
    settle(world)
    sources.check()


def given_up_in_the_end(world):
    """A section that fails once too often fails the stream, with all the restarts it had."""
    sources = Sources()

    def always(x):
        raise OSError("no")

    flow = sources(range(3)).map(always).restart(WAIT, max_restarts=2)
    failure = failure_of(world.start(flow.to(Sink.list())))
    assert isinstance(failure, StageError), repr(failure)
    assert sources.begun == 3, f"{sources.begun} lives"
    settle(world)
    sources.check()


def cancelled_while_it_rests(world):
    sources = Sources()
    flow = sources(range(9)).map(Flaky(1, 3)).restart(WAIT)
    run = world.start(flow.to(Sink.list()))
    world.soon("cancel", run.cancel)
    if world.pick("drain", (False, True)):
        world.soon("drain", run.drain)
    run.wait()
    assert run.state in ("completed", "cancelled", "failed"), run.state
    settle(world)
    sources.check()


CASES = {}
SCENARIOS = [
    Scenario("every element is given or reported", every_element_is_given_or_reported),
    Scenario("a source begins anew", a_source_begins_anew),
    Scenario("given up in the end", given_up_in_the_end),
    Scenario("cancelled while it rests", cancelled_while_it_rests),
]
