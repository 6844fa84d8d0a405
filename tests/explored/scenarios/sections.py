# mypy: disable-error-code="var-annotated, arg-type"
"""Sections that are made anew when they fail."""

from collections import Counter

from actors_rs import Flow, Sink, Source, pipe
from actors_rs.errors import StageError
from actors_rs.runtime.supervision.backoff import Backoff
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


def _given_or_reported(world, sources, got):
    """Each of nine elements is in ``got`` or a dead letter, once, and the world comes to rest."""
    both = Counter(got) + Counter(lost_in(world))
    assert both == Counter(range(9)), f"given {got}, reported {lost_in(world)}"
    settle(world)
    sources.check()


def lost_in(world):
    """The elements that were reported; of groups that were cut off it is their elements."""
    letters = [one.what for one in world.system.dead_letters.recent()]
    return [what for what in letters if isinstance(what, int)]


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
    _given_or_reported(world, sources, got)


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


def its_input_fails(world):
    """The input's failure comes last, once the rest has gone through further lives."""
    sources, bad = Sources(), world.pick("bad", (1, 5, 4))
    sources.fails_behind = 6
    scopes = world.pick("restarts", (9, 0))
    body = Flow().map(Flaky(bad))
    body = world.pick("body", (body, body.map(int), body.fuse()))
    flow = pipe(sources(range(9)), body.restart(WAIT, max_restarts=scopes))
    run = world.start(flow.recover(lambda error: error.__cause__).to(Sink.list()))
    *got, why = run.result()
    assert isinstance(why, OSError if scopes else KeyError), repr(why)
    told = f"given {got}, reported {lost_in(world)}"
    produced = run.snapshot().stages[0].elements_out
    assert Counter(got) + Counter(lost_in(world)) == Counter(range(produced)), told
    assert not scopes or len(got) >= 4, told
    settle(world)
    sources.check()


def its_first_stage_has_enough(world):
    """A life that takes no more but fails is followed by one that gets what comes next."""
    sources, flaky = Sources(), Flaky(1)
    body = world.pick(
        "body",
        (
            Flow().take(3).map(flaky),
            Flow().take(3).map(int).fuse().map(flaky),
            Flow().take_while(lambda x: x not in (2, 4)).map(flaky),
        ),
    )
    flow = pipe(sources(range(9)), body.restart(WAIT))
    got = world.start(flow.to(Sink.list())).result()
    both = sorted((*got, *lost_in(world)))
    told = f"given {got}, reported {lost_in(world)}"
    if both == [0, 1, 2, 3]:  # the stage that ends at 2 held it beside 1 when the life failed
        both.remove(2)
        assert 2 in lost_in(world), told
    assert both in ([0, 1, 2, 3, 4], [0, 1, 2, 3, 4, 5], [0, 1, 3], [0, 1]), told
    assert both[-1] > 3 or 2 not in both, told
    settle(world)
    sources.check()


def search_has_enough(world):
    """What a search did not need is there for the next life of its section."""
    sources = Sources()
    body = Flow().first(lambda x: x in (3, 4)).map(Flaky(3))
    got = world.start(pipe(sources(range(9)), body.restart(WAIT)).to(Sink.list())).result()
    assert (got, lost_in(world)) == ([4], [3]), f"given {got}, reported {lost_in(world)}"
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


def cancelled_as_it_fails(world):
    """A run that is cancelled ends as such, also if it is told so before a failed section is."""
    sources = Sources()
    body = Flow().map(int).map(Flaky(1)).restart(WAIT)
    grouped = pipe(sources(range(6)), body).group_by(lambda x: x % 2, 3)
    run = world.start(grouped.flat_map(lambda group: group, breadth=3).to(Sink.list()))
    world.soon("cancel", run.cancel)
    run.wait()
    assert run.state in ("completed", "cancelled"), f"{run.state}: {failure_of(run)!r}"
    settle(world)
    sources.check()


def in_groups(f, max_groups=2, key=lambda x: x % 2, **how):
    """Elements through ``f``, odd ones and even ones in streams of their own."""
    groups = Flow().group_by(key, max_groups, **how)
    return groups.flat_map(lambda group: group.map(f), breadth=3)


def body_with_groups(world):
    """A section with groups, of which something fails: in a group, before or behind them."""
    flaky, keys = Flaky(2, 5), Flaky(3, 4)
    return world.pick(
        "fails",
        (
            in_groups(flaky),
            in_groups(int, key=lambda x: keys(x) % 2),
            pipe(in_groups(int), Flow().map(flaky)),
            pipe(Flow().map(flaky), in_groups(int)),
            in_groups(flaky, max_groups=1, on_overflow="evict_idle"),
            in_groups(flaky, max_groups=1, on_overflow="divert"),
        ),
    )


def groups_are_given_or_reported(world):
    """What was in a group of a section that failed is given, or a dead letter; never both."""
    sources = Sources()
    flow = pipe(sources(range(9)), body_with_groups(world).restart(WAIT, max_restarts=9))
    if world.pick("slow", (False, True)):
        flow = flow.delay(1.0)
    got = world.start(flow.to(Sink.list())).result()
    _given_or_reported(world, sources, got)


def sections_in_groups(world):
    """Each group is a stream with a section of its own: the others do not notice its failures."""
    sources, flaky = Sources(), Flaky(2, 5)

    def stream(group):
        return group.via(Flow().map(flaky).restart(WAIT))

    flow = sources(range(9)).group_by(lambda x: x % 2, 2).flat_map(stream, breadth=2)
    got = world.start(flow.to(Sink.list())).result()
    _given_or_reported(world, sources, got)


def sections_within_sections(world):
    """What the inner section held when the outer one failed is given or reported too."""
    sources = Sources()
    inner = Flow().map(Flaky(2, 6)).map(int).restart(WAIT)
    body = pipe(inner, Flow().map(int).map(Flaky(1, 5)))
    flow = pipe(sources(range(9)), body.restart(WAIT)).map(int)
    got = world.start(flow.to(Sink.list())).result()
    _given_or_reported(world, sources, got)


def switched_within(world):
    """A section with a switch_map that fails: what it was switched to last is there in the end."""
    sources = Sources()
    fails = Flaky(2, -3)
    body = world.pick(
        "fails",
        (
            Flow().switch_map(lambda x: Source.of(x, -x).map(fails)),
            Flow().map(fails).switch_map(lambda x: Source.of(x, -x).map(int)),
            pipe(Flow().switch_map(lambda x: Source.of(x, -x).map(int)), Flow().map(fails)),
        ),
    )
    flow = pipe(sources(range(1, 6)), body.restart(WAIT))
    got = world.start(flow.to(Sink.list())).result()
    told = f"given {got}, reported {lost_in(world)}"
    assert len(set(got)) == len(got), told
    assert {5, -5} <= {*got} or 5 in lost_in(world) or -5 in lost_in(world), told
    for x in {abs(x) for x in got}:
        assert got.index(x) < got.index(-x) if {x, -x} <= {*got} else x in got, told
    settle(world)
    sources.check()


def switched_off_at_any_point(world):
    """A stream with a section that is switched off, working or resting, leaves nothing behind."""
    sources, flaky = Sources(), Flaky(1, 2)

    def stream(x):
        return sources(range(3)).map(flaky).restart(WAIT)

    outer = Source.of(1).append(Source.timer(world.pick("seconds", (1.0, 0.5, 3.0))))
    got = world.start(outer.switch_map(stream).to(Sink.list())).result()
    assert got[-3:] == [0, 1, 2], got
    assert sources.most <= 2, f"{sources.most} lives at a time"
    settle(world)
    sources.check()


def enough_of_a_section(world):
    """A section that fails when downstream has enough of it fails nothing."""
    sources = Sources()
    flow = sources(range(3)).map(Flaky(1, 2)).restart(WAIT).take(1)
    assert world.start(flow.to(Sink.list())).result() == [0]
    settle(world)
    sources.check()


def left_at_any_point(world):
    """Cancelled or drained, a section with inner streams ends, and its sources are released."""
    sources = Sources()
    body = world.pick(
        "body",
        (
            in_groups(Flaky(1, 3, 4)),
            Flow().switch_map(lambda x: sources((x, -x)).map(Flaky(2, -3))),
            in_groups(Flaky(1, 3, 4), max_groups=1, on_overflow="evict_idle"),
        ),
    )
    run = world.start(pipe(sources(range(9)), body.restart(WAIT)).to(Sink.list()))
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
    Scenario("its input fails", its_input_fails),
    Scenario("its first stage has enough", its_first_stage_has_enough),
    Scenario("a search has enough", search_has_enough),
    Scenario("given up in the end", given_up_in_the_end),
    Scenario("cancelled while it rests", cancelled_while_it_rests),
    Scenario("cancelled as it fails", cancelled_as_it_fails),
    Scenario("groups are given or reported", groups_are_given_or_reported),
    Scenario("sections in groups", sections_in_groups),
    Scenario("sections within sections", sections_within_sections),
    Scenario("switched within", switched_within),
    Scenario("switched off at any point", switched_off_at_any_point),
    Scenario("enough of a section", enough_of_a_section),
    Scenario("left at any point", left_at_any_point),
]
