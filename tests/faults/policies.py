# mypy: disable-error-code="var-annotated, arg-type, no-untyped-def, union-attr"
"""Each failure policy under random faults: nothing is lost or doubled beyond what it says.

A check runs ``COUNT`` elements through one policy, with a fault at 2 % of the calls, and compares
what arrived and what became a dead letter with a model of the policy.
"""

from collections import defaultdict
from contextlib import contextmanager
from itertools import product

import pytest

from actors_rs import ActorSystem, Flow, Sink, Source
from actors_rs.errors import StageError
from actors_rs.runtime.actors.contract import is_fatal
from actors_rs.runtime.supervision.backoff import Backoff
from actors_rs.runtime.supervision.child_spec import ChildSpec, Supervisor
from actors_rs.runtime.supervision.strategies import OneForOne
from actors_rs.testing.faults import KINDS, Faults, FaultyActor, is_injected
from tests.graph.helpers import SECONDS, wait_until

COUNT = 512
RATE = 0.02
AT_ONCE = Backoff(0, 0, jitter=0)
PASSED_OVER = ("exception", "StopIteration", "RecursionError")
"""Kinds of which a policy may say that the stream goes on."""
FATAL = [kind for kind, make in KINDS.items() if is_fatal(make(""))]
RESTARTED = [kind for kind, make in KINDS.items() if not is_fatal(make(""))]
"""Kinds behind which a child lives on."""


class Trial:
    """One seed on a system that others use too; only one trial at a time sends dead letters."""

    def __init__(self, system, seed, kind):
        self.system = system
        self.seed = seed
        self.faults = Faults(RATE, seed=seed, kind=kind)
        self.source = Source.range(0, COUNT)
        self.got = []
        self._before = system.dead_letters.total

    def user(self, value):
        self.faults.visit("user")
        return value

    def result(self, flow, sink=None):
        graph = flow.to(Sink.list() if sink is None else sink)
        return self.system.start(graph).result(SECONDS)

    def letters(self):
        """The elements in the dead letters of this trial, in their order."""
        letters = self.system.dead_letters.recent()
        return [one.what for one in letters if one.number >= self._before and one.what is not None]

    def failures(self):
        return self.faults.happened["user"]

    def check_books(self, got, ordered=True):
        """All that was not passed over arrived, once; what was passed over is a dead letter."""
        dead = self.letters()
        assert len(dead) == self.failures()
        assert sorted([*got, *dead]) == list(range(COUNT))
        assert not ordered or got == sorted(got)


def resume(trial):
    trial.check_books(trial.result(trial.source.map(trial.user).on_failure("resume")))


def resume_fused(trial):
    flow = trial.source.map(trial.user).on_failure("resume").map(lambda n: n).filter(lambda n: True)
    trial.check_books(trial.result(flow.fuse()))


def resume_filter(trial):
    flow = trial.source.filter(lambda n: trial.user(n) is not None).on_failure("resume")
    trial.check_books(trial.result(flow))


def resume_flat_map(trial):
    flow = trial.source.flat_map(lambda n: [trial.user(n)]).on_failure("resume")
    trial.check_books(trial.result(flow))


def resume_map_async(trial):
    flow = trial.source.map_async(trial.user, parallelism=4).on_failure("resume")
    trial.check_books(trial.result(flow))


def resume_unordered(trial):
    flow = trial.source.map_async(trial.user, parallelism=4, ordered=False).on_failure("resume")
    trial.check_books(trial.result(flow), ordered=False)


def resume_sink(trial):
    def take(n):
        trial.user(n)
        trial.got.append(n)

    count = trial.result(trial.source, Sink.for_each(take).on_failure("resume"))
    assert count == len(trial.got)
    trial.check_books(trial.got)


def resume_partition(trial):
    from actors_rs import Graph

    flows = trial.source.partition(2, lambda n: trial.user(n) % 2, on_failure="resume")
    graph = Graph(*(flow.to(Sink.list()) for flow in flows))
    even, odd = trial.system.start(graph).result(SECONDS)
    assert [n for n in even if n % 2] == [n for n in odd if n % 2 == 0] == []
    trial.check_books(sorted([*even, *odd]))


def restart(trial):
    """The state is fresh behind each failure."""

    def count(state, n):
        trial.user(n)
        return state + 1, (state, n)

    pairs = trial.result(trial.source.stateful_map(lambda: 0, count).on_failure("restart"))
    dead = set(trial.letters())
    expected, state = [], 0
    for n in range(COUNT):
        if n not in dead:
            expected.append((state, n))
        state = 0 if n in dead else state + 1
    assert pairs == expected
    trial.check_books([n for _, n in pairs])


def decider(trial):
    flow = trial.source.map(trial.user).on_failure(decider=lambda error, n: "resume")
    trial.check_books(trial.result(flow))


def stop(trial):
    """All before the failure arrives, and nothing behind it; the error says where it was."""
    graph = trial.source.map(trial.user).to(Sink.for_each(trial.got.append))
    run = trial.system.start(graph)
    if run.wait(SECONDS) and not trial.failures():
        assert run.result(0) == COUNT == len(trial.got)
        return
    with pytest.raises(StageError) as caught:
        run.result(0)
    assert trial.got == list(range(caught.value.position))
    assert trial.failures() == 1
    assert trial.letters() == []


def uncured(trial):
    """A part of what came before arrives, whatever the policy; the system goes on."""
    flow = trial.source.map(trial.user).on_failure("resume")
    run = trial.system.start(flow.to(Sink.for_each(trial.got.append)))
    assert run.wait(SECONDS)
    if trial.failures():
        with pytest.raises(StageError) as caught:
            run.result(0)
        assert is_injected(caught.value.__cause__)
        assert len(trial.got) < trial.faults.visits["user"]
    assert trial.got == list(range(len(trial.got)))
    assert len(trial.got) == COUNT or trial.failures() == 1
    assert trial.letters() == []
    assert trial.system.is_open


def recover(trial):
    flow = trial.source.map(trial.user).recover(lambda error: "recovered")
    *got, last = trial.result(flow)
    if trial.failures():
        assert last == "recovered"
        assert got == list(range(trial.faults.visits["user"] - 1))
    else:
        assert [*got, last] == list(range(COUNT))


def retry(trial):
    flow = trial.source.map_async(trial.user, parallelism=64).retry(AT_ONCE, max_attempts=9)
    assert trial.result(flow) == list(range(COUNT))
    assert trial.letters() == []


def section(trial):
    """What was inside a section that failed is a dead letter; the rest goes through the next."""
    flow = Flow().map(lambda n: n).map(trial.user).map(lambda n: n)
    got = trial.result(trial.source.via(flow.restart(AT_ONCE, max_restarts=COUNT)))
    assert sorted([*got, *trial.letters()]) == list(range(COUNT))
    assert got == sorted(got)


POLICIES = [
    *(resume, resume_fused, resume_filter, resume_flat_map, resume_map_async, resume_unordered),
    *(resume_sink, resume_partition, restart, decider, stop, recover, retry, section),
]


@contextmanager
def named(system, name):
    """A failure of this block tells ``name``."""
    try:
        yield
    except BaseException as error:
        error.add_note(name)
        raise


def check_many(policy, seeds, kinds=PASSED_OVER, failing=named, **options):
    """``policy`` with each of ``kinds`` and ``seeds``, on one system, each in ``failing``."""
    with ActorSystem(workers=2, shutdown_timeout=SECONDS, **options) as system:
        for kind, seed in product(kinds, seeds):
            with failing(system, f"{policy.__name__}, {kind}, seed {seed}"):
                policy(Trial(system, seed, kind))


def check_fatal(kind, seed, failing=named):
    """A failure that no policy cures ends its system, behind a part of what came before it."""
    raised, system = None, ActorSystem(workers=2, shutdown_timeout=SECONDS)
    trial, run = Trial(system, seed, kind), None
    try:
        with system:
            flow = trial.source.map(trial.user).on_failure("resume")
            run = system.start(flow.to(Sink.for_each(trial.got.append)))
            with failing(system, f"{kind}, seed {seed}"):
                assert run.wait(SECONDS)
    except BaseException as error:
        raised = error
    assert trial.failures() == (raised is not None)
    assert trial.got == list(range(len(trial.got)))
    assert trial.letters() == []
    if raised is None:
        assert run.result(0) == COUNT
    else:
        assert type(raised) is type(KINDS[kind](""))
        assert run._end.error is raised
        assert len(trial.got) < trial.faults.visits["user"]


class Counting(FaultyActor):
    """Keeps what it got where it outlives the actor."""

    def __init__(self, faults, kept):
        super().__init__(faults)
        self.got = kept


def check_supervised(kind, seeds, failed_message, failing=named, rate=RATE):
    """Children that fail at random: each message is handled once, or a dead letter, or retried.

    All dead letters are to be kept: so it is for a few seeds, again and again.
    """
    kept, all_faults, dead = {}, {}, defaultdict(list)
    rule = OneForOne(max_restarts=10_000, within=60, backoff=AT_ONCE, failed_message=failed_message)
    with ActorSystem(workers=2, shutdown_timeout=SECONDS) as system:
        specs = []
        for seed in seeds:
            kept[seed] = []
            all_faults[seed] = Faults(rate, seed=seed, kind=kind, points=("on_receive",))
            specs.append(ChildSpec(Counting, (all_faults[seed], kept[seed]), name=f"child {seed}"))
        top = system.supervise(Supervisor(rule, specs))
        for n in range(COUNT):
            for seed in seeds:
                top.child(f"child {seed}").tell((seed, n))
        with failing(system, f"children, {kind}, {failed_message}"):
            wait_until(
                lambda: all(
                    len(kept[seed]) + lost(all_faults[seed], failed_message) == COUNT
                    for seed in seeds
                ),
                seconds=10 * SECONDS,
            )
        for letter in system.dead_letters.recent():
            dead[letter.what[0]].append(letter.what[1])  # type: ignore[index]
        assert system.dead_letters.total == sum(
            lost(all_faults[seed], failed_message) for seed in seeds
        )
    for seed in seeds:
        assert isinstance(kept[seed], list)
        got = [n for _, n in kept[seed]]
        assert got == sorted(got)
        assert sorted([*got, *dead[seed]]) == list(range(COUNT))


def lost(faults, failed_message):
    return faults.happened["on_receive"] if failed_message == "dead_letter" else 0
