# mypy: disable-error-code="arg-type, var-annotated"
"""A link that may be cut at any time: what fails behind that is a dead letter, and no failure."""

from actors_rs.engine.links import ForgivingDownstream
from actors_rs.runtime.actors.mailbox import Mailbox
from actors_rs.stages.failure import OnFailure
from actors_rs.stages.operators.flat_map_merge import FlatMapMerge
from actors_rs.stages.operators.switch_map import SwitchMap
from actors_rs.stages.ports import Inlet
from tests.stages.harness import Alone


class Stage:
    """Of an island; notes what it forgives."""

    def __init__(self):
        self.island, self.actor_inbox = self, Mailbox()
        self.forgiven = []
        self.forgive = self.forgiven.append


def cut(inlet_cancelled, mailbox_closed=False):
    """The error that went along a line, what was forgiven, and the inlet it came to."""
    stage, inlet, error = Stage(), Inlet(), KeyError("late")
    if mailbox_closed:
        stage.actor_inbox.close()
    ForgivingDownstream(stage, inlet).fail(error)
    if inlet_cancelled:
        inlet.cancel()
    if not mailbox_closed:
        stage.actor_inbox.take().deliver()
    return error, stage.forgiven, inlet


def test_a_failure_of_a_stream_that_is_wanted_arrives():
    error, forgiven, inlet = cut(inlet_cancelled=False)
    assert (forgiven, inlet.error) == ([], error)


def test_a_failure_that_finds_its_inlet_cancelled_is_forgiven_once():
    error, forgiven, inlet = cut(inlet_cancelled=True)
    assert (forgiven, inlet.error) == ([error], None)


def test_a_failure_that_finds_its_stage_gone_is_forgiven():
    error, forgiven, _ = cut(inlet_cancelled=False, mailbox_closed=True)
    assert forgiven == [error]


def test_a_failure_left_unread_by_its_stage_is_forgiven():
    stage, error = Stage(), KeyError("late")
    ForgivingDownstream(stage, Inlet()).fail(error)
    for message in stage.actor_inbox.close():
        message.dropped()
    assert stage.forgiven == [error]


def test_a_failure_that_came_together_with_the_newer_element_is_forgiven():
    class Attaching(Alone):
        def attach(self, source, inlet):
            inlets.append(inlet)

        def at_hand(self, source):
            return None

    inlets = []
    switching = Attaching(SwitchMap(lambda x: x))
    switching.reports = []
    switching.request(5).push("first")
    error = KeyError("late")
    inlets[0].complete(error)
    switching.push("second")
    assert switching.recoveries == [error]
    assert [why for _, why in switching.reports] == ["a stream failed after its cancellation"]
    assert not switching.down.ended


def test_the_end_of_a_stream_that_began_in_part_only_is_not_waited_for():
    class Failing(Alone):
        def attach(self, source, inlet):
            inlets.append(inlet)
            raise RuntimeError("can't start new thread")

        def at_hand(self, source):
            return None

    inlets = []
    merging = Failing(FlatMapMerge(lambda x: x, 2))
    merging.logic.on_failure = OnFailure("resume")
    merging.request(5).push("stream")
    inlets[0].complete()
    merging.push("another")
    assert len(inlets) == 2
    assert merging.down.error is None
