# mypy: disable-error-code="var-annotated, misc"
"""How many messages a stage takes in a turn, before its logic is told to advance."""

import pytest

from actors_rs import ActorSystem, Sink, Source
from actors_rs.errors import InvalidArgumentError
from actors_rs.stages.passing import PassThrough
from tests.graph.helpers import SECONDS, run


class Posting(PassThrough):
    """Posts itself four messages before anything else, and notes when it is told to advance."""

    def __init__(self, notes):
        super().__init__()
        self.notes = notes

    def start(self):
        for n in range(4):
            self.context.post(lambda n=n: self.notes.append(str(n)))

    def advance(self, budget):
        self.notes.append("|")
        super().advance(budget)


def turns(of_system=None, of_stage=None):
    notes = []
    flow = Source.empty().then("posting", lambda: Posting(notes))
    graph = flow.with_attributes(throughput=of_stage).to(Sink.ignore())
    run(graph, throughput=of_system)
    return "".join(notes)


def test_a_stage_takes_all_messages_there_are():
    assert turns().startswith("0123")


def test_with_a_throughput_of_1_it_advances_behind_each():
    assert turns(of_system=1).startswith("0|1|2|3|")


def test_what_a_stage_says_goes_before_what_its_system_says():
    assert turns(of_system=1, of_stage=3).startswith("012|3")


def test_a_fan_takes_the_least_of_its_sinks():
    fan = Sink.fan(Sink.list().with_attributes(throughput=5), Sink.count())
    assert fan._ends[0].attributes.throughput == 5
    with ActorSystem() as system:
        assert system.start(Source.range(0, 9).to(fan)).result(SECONDS) == (list(range(9)), 9)


@pytest.mark.parametrize("throughput", [0, -1, 1.5, "all"])
def test_a_throughput_of_nothing_is_refused_where_the_stage_is_made(throughput):
    said = f"stage 'empty': throughput must be at least 1, got {throughput!r}"
    with pytest.raises(InvalidArgumentError, match=said):
        Source.empty().with_attributes(throughput=throughput)
