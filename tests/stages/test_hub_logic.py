"""The hub's logic alone, on recorders: outlets that come and go, and its ends."""

import pytest

from actors_rs.errors import IllegalStateError
from actors_rs.stages.hubs.hub import HubLogic
from tests.stages.harness import Alone, Downstream


class Hub(Alone):
    """A hub on which ``join`` gives a further outlet and its recorder."""

    def __init__(self, *args, **options):
        self.warnings = []
        super().__init__(HubLogic(*args, **options))

    def join(self, whom=None):
        outlet, down = self.logic.attach(whom), Downstream()
        outlet.connect(down)
        self.turn()
        return outlet, down

    def ask(self, outlet, n):
        return self.turn(lambda: outlet.request(n))

    def leave(self, outlet):
        return self.turn(outlet.cancel)

    def warn(self, text):
        self.warnings.append(text)


def test_the_first_request_opens_the_inlet():
    hub = Hub(2)
    outlet, _ = hub.join()
    assert hub.up.requests == []
    hub.ask(outlet, 1)
    assert hub.up.requests == [16]


def test_an_outlet_is_found_by_the_identity_of_whom_it_serves():
    class Equal:
        def __eq__(self, other):
            return True

        __hash__ = None  # type: ignore[assignment]

    hub, one = Hub(2), Equal()
    outlet, _ = hub.join(one)
    assert hub.logic.outlet_of(one) is outlet
    assert hub.logic.outlet_of(Equal()) is None
    outlet.cancel()
    assert hub.logic.outlet_of(one) is None


def test_the_last_one_that_leaves_ends_the_hub_and_cancels_upstream_without_a_cause():
    hub = Hub(2)
    (first, _), (second, _) = hub.join(), hub.join()
    hub.leave(first)
    assert not hub.up.cancelled
    hub.leave(second)
    assert hub.up.cancelled
    assert hub.up.cause is None
    assert hub.logic.finished
    assert isinstance(hub.logic.ending, IllegalStateError)


def test_a_hub_kept_alive_stays_when_the_last_one_leaves_until_it_is_drained():
    hub = Hub(2, keep_alive=True)
    outlet, _ = hub.join()
    hub.leave(outlet)
    assert not hub.logic.finished
    hub.drain()
    assert hub.logic.finished
    assert hub.up.cancelled


def test_each_one_is_told_the_end_behind_its_last_element():
    hub = Hub(5)
    (fast, fast_down), (slow, slow_down) = hub.join(), hub.join()
    hub.ask(fast, 9).ask(slow, 1).push(1, 2, 3).complete()
    assert fast_down.completed
    assert not slow_down.ended
    hub.ask(slow, 1)
    assert slow_down.elements == [1, 2]
    assert not hub.logic.finished
    hub.ask(slow, 1)
    assert slow_down.completed
    assert hub.logic.finished
    assert hub.logic.held() == [1, 2, 3]
    assert hub.logic.ending is None


def test_a_failure_from_outside_reaches_all_and_upstream_and_nothing_is_held():
    hub, error = Hub(5), ValueError()
    outlet, down = hub.join()
    hub.ask(outlet, 9).push(1)
    hub.turn(lambda: hub.logic.end(error))
    assert down.error is error
    assert hub.up.cause is error
    assert hub.logic.held() == []
    assert hub.logic.ending is error


def test_one_that_is_attached_in_the_turn_of_the_end_is_told_it_too():
    hub, error, down = Hub(5), ValueError(), Downstream()
    hub.join()

    def end_and_attach():
        hub.logic.end(error)
        hub.logic.attach(None).connect(down)

    hub.turn(end_and_attach)
    assert down.error is error
    assert hub.logic.finished


def test_a_stream_that_is_over_is_replayed_at_the_pace_of_who_came_late():
    hub, error = Hub(0), ValueError()
    hub.logic = HubLogic.replaying([1, 2, 3], error)
    outlet, down = hub.join()
    hub.ask(outlet, 2)
    assert down.elements == [1, 2]
    hub.ask(outlet, 1)
    assert down.elements == [1, 2, 3]
    assert down.error is error
    assert hub.logic.finished


@pytest.mark.parametrize("on_slow", ["drop", "fail"])
def test_a_request_that_is_on_its_way_when_the_bound_is_met_is_heard_first(on_slow):
    hub = Hub(1, on_slow=on_slow)
    (fast, fast_down), (slow, slow_down) = hub.join(), hub.join()
    slow_down.push = lambda frame: hub.post(lambda: slow.request(len(frame)))
    hub.ask(slow, 1).ask(fast, 99).push(*range(16))
    while hub.posted:
        hub.turn(hub.posted.popleft())
    assert fast_down.elements == list(range(16))
    assert slow.count == 16
    assert not slow_down.ended
    assert hub.logic.details()["dropped"] == 0


def test_counts_of_those_that_left_stay_in_the_figures():
    hub = Hub(2, keep_alive=True)
    outlet, _ = hub.join()
    hub.ask(outlet, 3).push(1, 2, 3).leave(outlet)
    assert sum(outlet.count for outlet in hub.logic.outlets) == 3
    assert hub.logic.details() == {"subscribers": 0, "held": 2, "dropped": 0}


def test_missed_elements_are_counted_and_one_warning_names_who_missed_the_first():
    hub = Hub(1, on_slow="drop")
    (fast, _), (slow, slow_down) = hub.join("the fast one"), hub.join("the slow one")
    hub.ask(slow, 1).ask(fast, 99)
    for first in range(0, 30, 3):
        hub.push(first, first + 1, first + 2)
        while hub.posted:
            hub.turn(hub.posted.popleft())
    assert slow_down.elements == [0]
    assert hub.logic.details()["dropped"] == 28
    (warning,) = hub.warnings
    assert warning.startswith("'the slow one' requests too slowly")
