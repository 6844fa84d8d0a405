# mypy: disable-error-code="var-annotated, arg-type, no-untyped-def"
"""Acknowledged elements: none is done before all that comes of it has been taken."""

from actors_rs import Flow, Graph, KillSwitch, Sink, Source
from actors_rs.delivery import acknowledged
from tests.explored.scenario import Case, Scenario, Sources, settle

CASES: dict[str, Case] = {}
ROWS = {1: 2, 2: 0, 3: 3}


class Done:
    """What was taken of each element at each of ``sinks``, and which are done; all of it, or it
    raises."""

    def __init__(self, sinks=1):
        self.sinks = sinks
        self.taken, self.done, self.early = [], [], []

    def ack(self, n, outcomes):
        self.done.append(n)
        taken = self.taken.count
        missing = [row for row in rows_of(n) if taken(row) != self.sinks]
        self.early.extend((n, row) for row in missing)

    def check(self, *, whole):
        assert not self.early, f"done before they were taken: {self.early}"
        assert len(set(self.done)) == len(self.done), f"done twice: {self.done}"
        if whole:
            assert sorted(self.done) == [*ROWS], f"only {self.done} are done"


def rows_of(n):
    return [(n, k) for k in range(ROWS[n])]


INNER = {
    "actors": lambda up, n: up(rows_of(n)).map(same).filter(bool),
    "within": lambda up, n: up(rows_of(n)),
    "inline": lambda up, n: Source.of(*rows_of(n)).map(same),
    "inline, slowly": lambda up, n: up(iter(rows_of(n))).filter(bool).map(same).fuse(),
    "fused": lambda up, n: up(rows_of(n)).via(Flow().map(same).map(same).fuse()),
    "streams of streams": lambda up, n: up(rows_of(n)).flat_map(lambda row: up([row]).map(same)),
    "an iterable": lambda up, n: iter(rows_of(n)),
}


def same(x):
    return x


def flattened(world, done, sources):
    f = INNER[world.pick("inner", tuple(INNER))]
    flow = acknowledged(Source.of(*ROWS), done.ack)
    name = world.pick("name", ("flat_map", "concat_map"))
    return getattr(flow, name)(lambda n: f(sources, n))


def taken_by(world, done, sources):
    """A graph in which each row goes to all of the sinks."""
    flow = flattened(world, done, sources)
    if done.sinks == 1:
        return flow.map(same).to(Sink.for_each(done.taken.append))
    one, other = flow.broadcast(2)
    sinks = [Sink.for_each(done.taken.append) for _ in range(2)]
    return Graph(one.batch(2).flat_map(same).to(sinks[0]), other.to(sinks[1]))


def done_when_taken(world):
    """An element is done when its stream has completed and all of it was taken, in each branch."""
    done, sources = Done(world.pick("sinks", (1, 2))), Sources()
    world.start(taken_by(world, done, sources)).result()
    settle(world)
    sources.check()
    done.check(whole=True)


def cut_short(world):
    """What was cut short, because the run was drained, cancelled or failed, is not done."""
    done, sources = Done(), Sources()
    how = world.pick("how", ("drain", "cancel", "fail"))
    sources.fails_behind = world.pick("behind", (1, 0)) if how == "fail" else None
    run = world.start(taken_by(world, done, sources))
    if how != "fail":
        world.soon(how, getattr(run, how))
    run.wait()
    settle(world)
    sources.check()
    done.check(whole=False)


def passed_over(world):
    """An element whose function raises is done with that, and the next ones as ever."""
    done, sources = Done(), Sources()
    inner = INNER[world.pick("inner", tuple(INNER))]
    bad = world.pick("bad", tuple(ROWS))

    def f(n):
        if n == bad:
            raise KeyError(n)
        return inner(sources, n)

    def ack(n, outcomes):
        if n == bad:
            done.done.append(n)
        else:
            done.ack(n, outcomes)

    policy = world.pick("policy", ("resume", "restart"))
    flow = acknowledged(Source.of(*ROWS), ack).flat_map(f).on_failure(policy)
    world.start(flow.to(Sink.for_each(done.taken.append))).result()
    settle(world)
    sources.check()
    done.check(whole=True)


def whole_units(world):
    """Sinks commit whole units, and end also if a part of one was cut off on some way there."""
    done, sources, switch = Done(), Sources(), KillSwitch()
    flow = flattened(world, done, sources).map(lambda row: row)
    cut = world.pick("cut", ("nowhere", "before", "one way"))
    if cut == "before":
        flow = flow.kill_switch(switch)
    one, other = flow.broadcast(2)
    if cut == "one way":
        one = one.kill_switch(switch)
    done.taken = [row for n in ROWS for row in rows_of(n)]  # what is committed is not looked at
    run = world.start(Graph(one.to(Sink.fan(kept(), Sink.count())), other.to(kept())))
    if cut != "nowhere":
        world.soon("cut", switch.shutdown)
    first, second = run.result()
    assert {first[0], second} <= {0, 2, 3, 5}, f"{first[0]} and {second} rows are no whole units"
    least = second if cut == "one way" else min(first[0], second)  # a way that is left filters
    assert least >= sum(ROWS[n] for n in done.done), f"{done.done} are done, {least} rows there"
    settle(world)
    done.check(whole=cut == "nowhere")


def kept():
    return Sink.sqlite(":memory:", "INSERT INTO t VALUES (?, ?)", setup="CREATE TABLE t (n, k)")


SCENARIOS = [
    Scenario("whole units", whole_units),
    Scenario("done when taken", done_when_taken),
    Scenario("cut short", cut_short),
    Scenario("passed over", passed_over),
]
