"""How many dead letters each stage has left, in the snapshot of its run."""

from actors_rs import ActorSystem, Sink, Source
from tests.graph.helpers import SECONDS


def letters_of(flow, system):
    run = system.start(flow.to(Sink.ignore()))
    run.result(SECONDS)
    return {stage.name: stage.dead_letters for stage in run.snapshot().stages}


def test_an_element_that_was_passed_over_is_a_dead_letter_of_its_stage():
    with ActorSystem(shutdown_timeout=SECONDS) as system:
        flow = Source.range(0, 10).map(lambda n: 10 // (n % 5)).on_failure("resume")
        assert letters_of(flow, system) == {"range": 0, "map": 2, "ignore": 0}
        assert system.dead_letters.total == 2


def test_the_letters_of_inner_streams_are_added_up_by_kind():
    def inner(n):
        return Source.of(0, n).map(lambda x: 1 // x).on_failure("resume")

    with ActorSystem(shutdown_timeout=SECONDS) as system:
        letters = letters_of(Source.of(1, 2, 3).flat_map(inner, breadth=2), system)
        assert letters["map (ended)"] == 3
        assert sum(letters.values()) == system.dead_letters.total
