# mypy: disable-error-code="arg-type, var-annotated"
"""What a group costs does not depend on how many there are: counted, not timed."""

import gc
import subprocess
import sys
import tracemalloc
from itertools import count

import pytest

from actors_rs import ActorSystem, Sink, Source
from actors_rs.engine.watching.stall_watch import StallWatch, _Watched
from actors_rs.stages.hubs import merge_hub
from actors_rs.stages.hubs.merge_hub import MergeHubLogic
from actors_rs.stages.inner import logic
from actors_rs.stages.operators import flat_map_merge
from actors_rs.stages.operators.flat_map_merge import FlatMapMerge
from tests.conventions.project import ROOT
from tests.counting import Instructions
from tests.runtime.support import eventually
from tests.stages.grouping import Grouping
from tests.stages.harness import Alone, Upstream

SECONDS = 60.0
MOST = 3584
"""Bytes of a group that is alive, with all that runs it. Resident memory is 0.2 to 0.4 KiB more."""
COUNTS = (60, 960)
FILES = {module.__file__ for module in (flat_map_merge, logic, merge_hub)}


def bytes_of_a_group(fused, groups):
    """Those in use when each of ``groups`` has taken an element, and all is quiet."""
    sizes, calls = [], count()

    def add(total, x):
        next(calls)
        return total + x

    def numbers(system):
        yield from range(groups)
        eventually(lambda: calls.__reduce__()[1][0] == groups)
        others = [one for one in system.children() if one.name != "from_iterable"]
        eventually(lambda: all(one.actor_inbox.idle for one in others))
        gc.collect()
        sizes.append(tracemalloc.get_traced_memory()[0])
        yield from range(groups)

    def sums(group):
        reduced = group.reduce(0, add)
        return reduced.fuse() if fused else reduced

    with ActorSystem() as system:
        source = Source.from_iterable(numbers(system)).group_by(lambda x: x, groups)
        graph = source.flat_map(sums, breadth=groups).to(Sink.count())
        tracemalloc.start()
        try:
            assert system.start(graph).result(SECONDS) == groups
        finally:
            tracemalloc.stop()
    return sizes[0] / groups


@pytest.mark.parametrize(("fused", "groups"), [(False, 2_000), (True, 1_000)])
def test_a_group_that_is_alive_has_less_than_4_kib(fused, groups):
    """In a process of its own: what others set in instances of a class makes all of them larger."""
    code = f"import {__name__} as here; print(here.bytes_of_a_group({fused}, {groups}))"
    said = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, check=True, text=True
    ).stdout
    assert float(said) <= MOST


class Host(Alone):
    """Of inner streams, each of which gives one element and ends when it is told to."""

    def __init__(self, logic):
        self.given = []
        super().__init__(logic)

    def at_hand(self, source):
        return None

    def attach(self, source, inlet):
        inlet.connect(Upstream())
        self.given.append(inlet)

    def all_give(self):
        for inlet in self.given:
            inlet.push([1])
            inlet.complete()
        return self


def flat_map(streams):
    host = Host(FlatMapMerge(lambda x: x, streams))
    host.logic.inlet.window = streams
    host.request(1)
    host.push(*range(streams))
    return host.all_give()


def hub(streams):
    host = Host(MergeHubLogic(fails=True, began=lambda: None, ended=lambda: None))
    for _ in range(streams):
        host.turn(lambda: host.logic.admit(()))
    host.request(1)
    return host.all_give()


def instructions(act):
    """How many ``act()`` runs in the modules that are looked at."""
    with Instructions(FILES) as run:
        act()
    return run.count


@pytest.mark.parametrize("host", [flat_map, hub])
def test_an_element_costs_the_same_however_many_streams_wait_for_demand(host):
    def for_each(streams):
        stage = host(streams)
        stage.turn()  # this is where each is looked at for the first time
        return instructions(lambda: [stage.request(1) for _ in range(20)])

    few, many = map(for_each, COUNTS)
    assert many < 1.2 * few


def test_an_end_needs_no_demand_also_behind_many_that_wait_for_it():
    host = Host(FlatMapMerge(lambda x: x, 4))
    host.request(1).push(*range(4))
    first, *others = host.given
    for inlet in (first, *others[:2]):
        inlet.push([1])
    host.turn()
    late = others[2]
    late.complete()
    host.turn()
    assert host.logic.running == 3, "it had nothing to give, and nobody asked"
    assert late not in tuple(host.logic.inlets)


def test_the_watch_does_not_go_through_a_million_stages_to_find_one_at_work():
    looked = []

    class Inbox:
        idle = False

    class AtWork:
        mailbox, has_left = Inbox, False

    class Scope:
        def each_stage(self):
            for number in count():
                looked.append(number)
                yield AtWork()

    known = _Watched()
    assert StallWatch()._last_moves(Scope(), known) is None
    assert len(looked) == 1
    assert isinstance(known.witness, AtWork)


class ForOne:
    """A budget that has time for one piece of work."""

    def lap(self):
        return 1.0

    def spent(self):
        return True


def test_the_end_of_upstream_ends_as_many_groups_in_a_turn_as_there_is_time_for():
    grouping = Grouping().request(10).push("a1", "b1", "c1")
    streams = [stream.run() for stream in grouping.streams]
    grouping.logic.inlet.complete()
    ended = []
    while not grouping.down.completed:
        grouping.logic.advance(ForOne())
        ended.append([stream.down.completed for stream in streams])
    assert ended[:3] == [[True, False, False], [True, True, False], [True, True, True]]
