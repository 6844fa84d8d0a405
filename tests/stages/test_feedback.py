# mypy: disable-error-code="var-annotated"
"""The stage that closes a loop, alone: the test says what is to be seen of the others."""

from actors_rs.stages.junctions.feedback import LOOK_EVERY, Feedback
from tests.stages.harness import Alone


def loop(seen):
    """A loop whose looks find what is in ``seen``, in turn; then always the last of it."""
    logic = Feedback()
    logic.look = lambda: seen.pop(0) if len(seen) > 1 else seen[0]
    return Alone(logic)


def test_the_way_back_is_open_before_anybody_asks():
    assert loop([None]).up.requests == [16]


def test_a_loop_ends_when_nothing_has_moved_between_two_looks():
    stage = loop([(1, 2), (1, 3), (1, 3)]).request(9)
    assert not stage.elapse(2 * LOOK_EVERY).down.ended
    assert stage.elapse(LOOK_EVERY).down.completed
    assert not stage.logic.finished, "the stages of the loop have not ended yet"
    assert stage.complete().drop().pending == []


def test_a_loop_goes_on_while_something_may_move():
    stage = loop([(1,), None, (1,), None]).request(9).elapse(1)
    assert not stage.down.ended
    assert len(stage.pending) == 1


def test_a_loop_does_not_end_while_it_holds_an_element():
    stage = loop([(1,)]).push(5).elapse(1)
    assert not stage.down.ended
    assert stage.request(1).elapse(2 * LOOK_EVERY).down.completed
    assert stage.down.elements == [5]


def test_what_comes_back_behind_the_end_is_a_dead_letter():
    stage = loop([(1,)]).request(9).elapse(1)
    stage.reports = []
    stage.push(7)
    assert [what for what, _ in stage.reports] == [7]


def test_a_loop_that_was_left_cancels_what_comes_back():
    stage = loop([None]).request(1).push(1, 2).cancel()
    assert stage.up.cancelled
    assert stage.drop().pending == []
