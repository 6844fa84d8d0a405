# mypy: disable-error-code="no-untyped-def, no-untyped-call, func-returns-value"
"""``ActorSystem(memory_limit=...)``: all links share a budget of bytes, and none stands still."""

from threading import Event

import pytest

from actors_rs import ActorSystem, Sink, Source
from actors_rs.errors import ArgumentTypeError, InvalidArgumentError
from actors_rs.runtime.memory_budget import bytes_of
from tests.runtime.support import eventually

MIB = 2**20


@pytest.mark.parametrize(
    ("said", "size"),
    [(1, 1), ("512 MiB", 512 * MIB), ("2GiB", 2048 * MIB), ("1.5 GB", 1_500_000_000), ("7 b", 7)],
)
def test_a_limit_is_bytes_or_a_text_with_a_unit(said, size):
    assert bytes_of(said) == size
    with ActorSystem(memory_limit=said) as system:
        assert system.statistics().memory_limit == size


@pytest.mark.parametrize("said", [0, -1, "", "2", "many", "-2 GiB", "0 B", "2 XiB", "nan GB"])
def test_a_bad_limit_is_refused_in_a_sentence_that_says_what_to_write(said):
    with pytest.raises(InvalidArgumentError, match=r"memory_limit must be .* '512 MiB'.*, got"):
        ActorSystem(memory_limit=said)


@pytest.mark.parametrize("said", [True, 1.5, b"2 GiB"])
def test_a_limit_of_another_type_is_refused(said):
    with pytest.raises(ArgumentTypeError, match="memory_limit must be an int of bytes or a text"):
        ActorSystem(memory_limit=said)


def most_alive(system, elements=100):
    """The most elements of 1 MiB that are made and not yet taken by a slow stage."""
    made, most = [0], [0]

    def load(_):
        made[0] += 1
        return bytes(MIB)

    taken = iter(range(elements))

    def slow(x):
        most[0] = max(most[0], made[0] - next(taken))
        return len(x)

    stages = Source.range(0, elements).map(load).map(slow)
    assert system.start(stages.to(Sink.sum())).result(20) == elements * MIB
    return most[0]


def test_near_the_limit_sources_wait():
    with ActorSystem(memory_limit="8 MiB") as system:
        assert most_alive(system) <= 10
        assert system.statistics().memory_reserved == 0


class Made:
    """Elements of 1 MiB, and the most of them that were made and not taken."""

    def __init__(self):
        self.made = self.taken = self.most = 0

    def load(self, _):
        self.made += 1
        self.most = max(self.most, self.made - self.taken)
        return bytes(MIB)


def test_a_loop_over_a_source_works_ahead_as_far_as_fits():
    heavy = Made()
    with ActorSystem(memory_limit="8 MiB") as system:
        for element in Source.range(0, 100).map(heavy.load).iterate(window=50):
            assert len(element) == MIB
            heavy.taken += 1
        assert heavy.taken == 100
        assert heavy.most <= 10
        assert system.statistics().memory_reserved == 0


def test_elements_in_worker_processes_are_no_more_than_fit():
    heavy = Made()

    def take(size):
        heavy.taken += 1
        return size

    with ActorSystem(memory_limit="8 MiB") as system:
        sizes = Source.range(0, 60).map(heavy.load).map_processes(len, 2).map(take)
        assert system.start(sizes.to(Sink.sum())).result(60) == 60 * MIB
        assert heavy.most <= 16
        assert system.statistics().memory_reserved == 0


def test_an_element_larger_than_the_limit_goes_through_one_at_a_time():
    with ActorSystem(memory_limit=1) as system:
        assert most_alive(system, 20) <= 4
        assert system.statistics().memory_reserved == 0


def test_the_snapshot_says_which_link_holds_the_bytes():
    go_on, came = Event(), Event()

    def wait(x):
        if x is last:
            came.set()
            go_on.wait(20)

    last = bytes(MIB)
    loads = [bytes(MIB), bytes(MIB), last, *(bytes(MIB) for _ in range(20))]
    with ActorSystem(memory_limit="64 MiB") as system:
        run = system.start(Source.of(*loads).to(Sink.for_each(wait).named("slow")))
        assert came.wait(20)
        (link,) = run.snapshot().links
        stage = next(one for one in run.snapshot().stages if one.name == "slow")
        reserved = system.statistics().memory_reserved
        go_on.set()
        run.result(20)
        assert link.buffered_bytes == stage.buffered_bytes >= link.buffered * MIB > 0
        assert link.buffered_bytes <= reserved <= 64 * MIB
        assert system.statistics().memory_reserved == 0


def fail(_):
    raise ValueError("of the user's")


@pytest.mark.parametrize(
    "flow",
    [
        Source.range(0, 100).map(str).take(5),
        Source.range(0, 100).map(str).map(fail),
        Source.range(0, 100).flat_map(lambda x: Source.of(x, x).map(str)).take(50),
    ],
    ids=["cancelled", "failed", "inner streams"],
)
def test_a_run_that_ends_early_gives_back_what_it_reserved(flow):
    with ActorSystem(memory_limit="1 MiB") as system:
        run = system.start(flow.to(Sink.list()))
        run.wait(20)
        system.shutdown()
        assert system.statistics().memory_reserved == 0


def test_without_a_limit_nothing_is_weighed_for_windows_that_are_numbers():
    def weigh(_):
        raise AssertionError("weighed")

    with ActorSystem(window=4096) as system:
        flow = Source.range(0, 10).map(abs).with_attributes(weight=weigh)
        assert system.start(flow.to(Sink.sum())).result(20) == 45
        assert not system.dead_letters.statistics().total
        assert system.statistics().memory_limit is None


@pytest.mark.parametrize("weight", [0.0, 10.0])
def test_a_queue_has_room_for_elements_that_weigh_next_to_nothing(weight):
    with ActorSystem(memory_limit="1 MiB") as system:
        queued = Source.range(0, 500).to(Sink.queue(100).with_attributes(weight=lambda _: weight))
        run = system.start(queued)
        eventually(lambda: run.snapshot().stages[-1].details["waiting"] > 40)
        run.cancel()


def test_a_queue_that_has_ended_holds_no_bytes():
    with ActorSystem(memory_limit="64 MiB") as system:
        run = system.start(Source.range(0, 20).map(lambda _: bytes(MIB)).to(Sink.queue(5)))
        assert len(list(run.sink_queue())) == 20
        run.wait(20)
        assert not run.snapshot().stages[-1].buffered_bytes


def test_an_element_of_infinite_weight_is_reported_and_goes_on():
    with ActorSystem(memory_limit="1 MiB") as system:
        flow = Source.of(1, 2).map(abs).with_attributes(weight=lambda _: float("inf"))
        assert system.start(flow.to(Sink.list())).result(20) == [1, 2]
        assert 1 in {one.what for one in system.dead_letters.recent()}
