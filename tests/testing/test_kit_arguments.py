# mypy: disable-error-code="arg-type, union-attr, var-annotated"
"""What the kit refuses in one sentence, and what it says of peers and values that look alike."""

import pytest

from actors_rs import Flow
from actors_rs.engine.links import Arrived
from actors_rs.errors import ArgumentTypeError, ProtocolViolation, Stalled
from actors_rs.stages.ports import Inlet
from actors_rs.testing.explore import FreePublisher, FreeSubscriber, Plan, search
from actors_rs.testing.explore.settings import SETTINGS
from actors_rs.testing.faults import Fault, Faults
from actors_rs.testing.world import Delivery, World, sequence_diagram
from actors_rs.testing.world.log import Log

pytestmark = pytest.mark.usefixtures("by_itself")

REFUSED = {
    "no world": (lambda _: FreeSubscriber(None), "FreeSubscriber needs a World, got None"),
    "a number for it": (lambda _: FreePublisher(7, [1]), "FreePublisher needs a World, got 7"),
    "a number": (lambda w: FreePublisher(w, 3), r"FreePublisher needs elements such as .*, got 3"),
    "None": (lambda w: FreePublisher(w, [1, None]), "rule 2.13: no element may be None, .* 1 is"),
    "no error": (lambda w: FreePublisher(w, [], "x"), "FreePublisher.* exception, got 'x'"),
}


@pytest.mark.parametrize(("make", "told"), REFUSED.values(), ids=REFUSED)
def test_free_peers_refuse_at_once_what_makes_no_sense(make, told):
    with World() as world, pytest.raises(ArgumentTypeError, match=told):
        make(world)


class IgnoresCancel:
    def subscribe(self, subscriber, /):
        self.subscriber, self.asked, self.sent = subscriber, 0, 0
        subscriber.on_subscribe(self)

    def request(self, n, /):
        self.asked += n
        for _ in range(min(n, 3)):
            self.sent += 1
            self.subscriber.on_next(self.sent)

    def cancel(self):
        pass


class SendsTooMany(IgnoresCancel):
    def request(self, n, /):
        for x in range(min(n, 3) + 1):
            self.subscriber.on_next(x)


@pytest.mark.parametrize(("kind", "rule"), [(IgnoresCancel, "3.6"), (SendsTooMany, "1.1")])
def test_a_publisher_is_accused_of_what_it_broke(kind, rule):
    def scenario(world):
        kind().subscribe(FreeSubscriber(world))

    error = search(scenario, Plan(runs=2000)).failure.error
    assert isinstance(error, ProtocolViolation)
    assert error.rule == rule


def test_an_actor_whose_first_delivery_is_to_itself_has_one_column():
    lines = sequence_diagram([Delivery(1, "a", "a", "x"), Delivery(2, "a", "b", "y")])
    assert lines[0].split() == ["step", "a", "b"]


class SubscribesTwice:
    def subscribe(self, subscriber, /):
        for _ in range(2):
            subscriber.on_subscribe(self)

    def request(self, n, /):
        pass

    def cancel(self):
        pass


def test_a_stall_behind_a_second_on_subscribe_names_the_rule_at_a_processor_too():
    def scenario(world):
        processor = world.system.processor(Flow().map(int))
        processor.subscribe(FreeSubscriber(world, cancels=False))
        SubscribesTwice().subscribe(processor)

    error = search(scenario, Plan(runs=20)).failure.error
    assert isinstance(error, Stalled)
    assert "before that: rule 2.12: a second on_subscribe" in str(error)


@pytest.mark.parametrize("many", [None, ["a"], []])
def test_points_hold_for_what_is_decided_as_for_what_is_drawn(many):
    for faults in (Faults(1.0, points=many), Faults(decide=lambda _: True, points=many)):
        happened = []
        for point in ("a", "b"):
            try:
                faults.visit(point)
            except Fault:
                happened.append(point)
        assert happened == (["a", "b"] if many is None else many)


FRAMES = [
    *([1], [True], [1.0], [-1], [-2], ["-1"], [-1, 5], [-2, 5], [0.0], [-0.0], [1, 1], [True, 1]),
    *(range(-1, 3), range(-2, 2), range(4, 0, -1), range(4, -4, -2), [None], ["None"], [[1]]),
]


def key_of(frame):
    message, log = Arrived(), Log(dict)
    message.inlet, message.frame = Inlet(), frame
    log.names += ["host"]
    log.taken.append((1, 1, message))
    return log.behaviour_key(), log.behaviour()


def test_values_that_are_described_differently_are_different_behaviours():
    assert len({key_of(frame)[1] for frame in FRAMES}) == len(FRAMES)
    assert len({key_of(frame)[0] for frame in FRAMES}) == len(FRAMES)


def test_what_is_no_number_is_the_same_behaviour_each_time():
    assert key_of([float("nan")]) == key_of([float("nan")])


def test_a_replay_of_a_test_that_explores_nothing_is_told_with_its_name(monkeypatch):
    monkeypatch.setattr(SETTINGS, "trace", "v1:00000000:")
    SETTINGS.test_passed("tests/test_mine.py::test_plain")
    told = "tests/test_mine.py::test_plain: --replay made no run: this test explores nothing"
    assert told in SETTINGS.summary(detailed=False)
