# mypy: disable-error-code="var-annotated"
"""``Graph.fuse()`` at its edges: what ends a system, what names a failure, what stays apart."""

import pytest

from actors_rs import ActorSystem, Sink, Source
from actors_rs.errors import StageError
from actors_rs.observability.table import rows_of
from tests.graph.helpers import islands

SECONDS = 30


def leaving(kind):
    def leave(*_):
        raise kind("leave")

    return leave


@pytest.mark.parametrize("kind", [MemoryError, SystemExit, KeyboardInterrupt])
@pytest.mark.parametrize("fuse", [False, True])
@pytest.mark.parametrize("sinks", ["alone", "fan"])
def test_what_no_restart_cures_in_a_part_is_raised_as_it_is_and_ends_the_system(kind, fuse, sinks):
    sink = Sink.for_each(leaving(kind))
    graph = Source.of(1, 2).map(str).to(sink if sinks == "alone" else Sink.fan(sink, Sink.count()))
    system = ActorSystem(shutdown_timeout=SECONDS)
    run = system.start(graph.fuse() if fuse else graph)
    with pytest.raises(kind, match="leave"):
        run.result(SECONDS)
    with pytest.raises(kind, match="leave"), system:
        pass


def test_memory_that_is_used_up_ends_the_system_of_a_fused_flow_too():
    system = ActorSystem(shutdown_timeout=SECONDS)
    flow = Source.of(1, 2).map(str).filter(leaving(MemoryError)).fuse()
    with pytest.raises(MemoryError) as raised:
        system.start(flow.to(Sink.list())).result(SECONDS)
    (named,) = raised.value.others  # type: ignore[attr-defined]
    assert (named.stage, named.position) == ("filter", 0)
    with pytest.raises(MemoryError), system:
        pass


@pytest.mark.parametrize("where", ["create", "on_complete"])
@pytest.mark.parametrize("whole", [False, True])
def test_a_function_that_is_called_for_no_element_fails_by_the_name_of_its_operator(where, whole):
    create = leaving(ValueError) if where == "create" else lambda: 0
    on_complete = leaving(ValueError) if where == "on_complete" else None
    flow = Source.of(1, 2).map(str)
    flow = flow.stateful_map(create, lambda state, element: (state, element), on_complete)
    graph = flow.to(Sink.list()).fuse() if whole else flow.fuse().to(Sink.list())
    with pytest.raises(StageError) as raised:
        graph.run()
    assert (raised.value.stage, raised.value.position) == ("stateful_map", None)


def test_a_fan_with_a_sink_that_has_a_policy_stays_apart_and_dead_letters_name_it():
    def refuse(element):
        if element == 2:
            raise ValueError(element)

    sinks = Sink.fan(Sink.for_each(refuse).on_failure("resume"), Sink.count())
    with ActorSystem(shutdown_timeout=SECONDS) as system:
        run = system.start(Source.of(1, 2, 3).map(int).to(sinks).fuse())
        assert run.result(SECONDS) == (2, 3)
        (letter,) = system.dead_letters.recent()
    assert letter.where == "stage 'fan'"
    assert "stage 'for_each' failed at element 1" in str(letter.error)


@pytest.mark.parametrize("fuse", [False, True])
def test_what_fails_between_the_parts_ends_the_run(fuse):
    graph = Source.never().map(str).to(Sink.list())
    with ActorSystem(shutdown_timeout=SECONDS) as system:
        run = system.start(graph.fuse() if fuse else graph)
        last = max(run._scope.living(), key=lambda stage: "list" in stage.name)
        last.post(leaving(ValueError))
        with pytest.raises(StageError, match="leave"):
            run.result(SECONDS)


def test_a_table_shows_what_the_sink_of_a_fused_stream_took():
    with ActorSystem(window=4096, shutdown_timeout=SECONDS) as system:
        run = system.start(Source.range(0, 90).map(str).filter(len).to(Sink.count()).fuse())
        run.result(SECONDS)
        now = run.snapshot()
    *_, row = rows_of(now)
    assert (row.elements_in, row.elements_out, row.buffered) == ("90", "0", "0/4096")
    assert row.per_second != "0"


def test_a_fused_source_takes_nothing_in():
    flow = Source.range(0, 90).map(str).flat_map(list)
    with ActorSystem(shutdown_timeout=SECONDS) as system:
        run = system.start(flow.to(Sink.count()).fuse())
        run.result(SECONDS)
        first = run.snapshot().stages[0]
    assert (first.elements_in, first.elements_out) == (0, 90)


def test_what_was_fused_before_is_joined_with_what_is_around_it(shared):
    flow = Source.range(0, 3).map(lambda x: x + 1).map(str).fuse().map(int).fuse()
    graph = flow.map(float).to(Sink.list())
    assert islands(graph) == ["range + map + map-2 + map-3", "map-4", "list"]
    whole = ["range + map + map-2 + map-3 + map-4 + list"]
    assert islands(graph.fuse()) == whole == islands(graph.fuse().fuse())
    assert shared.start(graph.fuse()).result(SECONDS) == [1.0, 2.0, 3.0]
