"""Inner streams on the picture of a run, and their elements in its figures."""

import threading
from itertools import pairwise

import pytest

from actors_rs import ActorSystem, Sink, Source
from tests.graph.helpers import SECONDS, wait_until


@pytest.fixture
def system():
    with ActorSystem(workers=4, shutdown_timeout=SECONDS) as system:
        yield system


def ended(flow, system):
    run = system.start(flow.to(Sink.list()))
    run.result(SECONDS)
    return run


def arrows_of(run):
    """All arrows as ``a --> b``, or ``a -.-> b`` where the first starts the second."""
    names, arrows = {}, set()
    for line in run.draw().splitlines():
        match line.split(maxsplit=2):
            case [box] if "[" in box:
                names[box.partition("[")[0]] = box.split('"')[1].partition("<br/>")[0]
            case [box, *_] if "[" in box:
                names[box.partition("[")[0]] = line.split('"')[1].partition("<br/>")[0]
            case [begin, line_, _] if "-" in line_:
                end = line.rsplit(" ", 1)[1]
                arrows.add(f"{names[begin]} {line_.partition('|')[0]} {names[end]}")
    return arrows


def figures_of(run, name):
    (stage,) = [stage for stage in run.snapshot().stages if stage.name == name]
    return stage.elements_in, stage.inner_elements, stage.elements_out


STREAMS = {
    "inline": (lambda n: Source.of(1, n).map(str), 1),
    "within": (lambda n: Source.of(1, n).filter(lambda x: x).map(str).fuse(), 2),
    "actors": (lambda n: Source.from_iterable(iter([1, n])).map(str), 2),
}


@pytest.mark.parametrize("kind", STREAMS)
def test_the_host_starts_the_source_of_an_inner_stream_and_its_last_stage_feeds_the_host(
    kind, system
):
    stream, breadth = STREAMS[kind]
    run = ended(Source.range(1, 4).flat_map(stream, breadth=breadth), system)
    inner = {arrow for arrow in arrows_of(run) if "(ended)" in arrow}
    stages = [s.name for s in run.snapshot().stages if "(ended)" in s.name]
    source, *_, last = stages
    links = [f"{one} --> {two}" for one, two in pairwise(stages)]
    assert inner == {f"flat_map -.-> {source}", *links, f"{last} --> flat_map"}
    assert len(stages) > 1
    assert figures_of(run, "flat_map") == (4, 8, 8)


def test_an_inner_stream_that_runs_is_linked_with_what_has_ended_of_it(system):
    gate = threading.Event()

    def hold(x):
        assert gate.wait(SECONDS)
        return x

    flow = Source.of("a", "b").flat_map(lambda x: Source.from_iterable(iter(x)).map(hold), 2)
    run = system.start(flow.to(Sink.list()))
    try:
        wait_until(lambda: any("(ended)" in s.name for s in run.snapshot().stages))
        wait_until(lambda: len(run.snapshot().stages) == 6)
        assert arrows_of(run) >= {
            "flat_map -.-> from_iterable (ended)",
            "from_iterable (ended) --> map#35;1",
            "map#35;2 --> flat_map",
        }
    finally:
        gate.set()
    assert run.wait(SECONDS)


def test_groups_come_from_their_group_by_and_their_elements_are_not_its_output(system):
    flow = Source.range(0, 10).group_by(lambda n: n % 3, max_groups=3)
    run = ended(flow.flat_map(lambda group: group.map(str), breadth=3), system)
    assert arrows_of(run) >= {"group_by --> map (ended)", "map (ended) --> flat_map"}
    assert not any("-.->" in arrow for arrow in arrows_of(run))
    assert figures_of(run, "group_by") == (10, 10, 3)
    assert figures_of(run, "flat_map") == (3, 10, 10)


def test_streams_within_streams_belong_to_the_kind_of_stage_that_runs_them(system):
    def within(n):
        return Source.of(1, n).flat_map(lambda m: Source.range(0, 1).map(lambda x: x + m), 2)

    run = ended(Source.range(0, 3).flat_map(within, breadth=2), system)
    assert arrows_of(run) >= {
        "flat_map -.-> of (ended)",
        "of (ended) --> flat_map (ended)",
        "flat_map (ended) -.-> range (ended)",
        "map (ended) --> flat_map (ended)",
        "flat_map (ended) --> flat_map",
    }
    assert figures_of(run, "flat_map (ended)") == (6, 6, 6)


def test_other_stages_that_run_streams_tell_their_elements_apart_too(system):
    concat = ended(Source.range(0, 10).concat(Source.of("x")), system)
    assert figures_of(concat, "concat") == (10, 1, 11)
    replaced = Source.of(1, 0).map(lambda n: 1 // n).recover_with(lambda error: Source.of(7, 8))
    assert figures_of(ended(replaced, system), "recover_with") == (1, 2, 3)


def test_a_stage_that_has_streams_only_counts_theirs_as_its_input(system):
    hub = Source.merge_hub()
    hub.attach(Source.range(0, 3))
    hub.close()
    assert figures_of(ended(hub.source, system), "merge_hub") == (3, 0, 3)


def test_dot_has_the_same_arrows(system):
    dot = ended(Source.range(1, 4).flat_map(STREAMS["inline"][0]), system).draw("dot")
    assert 's1 -> s3 [label="starts", style=dashed]' in dot
    assert "in 4, 8 in inner streams, out 8" in dot
