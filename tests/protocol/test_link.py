# mypy: disable-error-code="arg-type, assignment, union-attr"
"""The state machines of one subscription: what is legal passes, what is not names its rule."""

import pytest
from hypothesis import given

from actors_rs import UNBOUNDED
from actors_rs.errors import DefectError
from actors_rs.protocol.link import (
    CALLS,
    Inside,
    Kind,
    LinkState,
    Phase,
    Signal,
    Violation,
    enter,
    leave,
    publisher_signal,
    subscriber_call,
)
from tests.protocol.traces import legal_traces

SUBSCRIBE, CANCEL, COMPLETE = map(Signal, (Kind.ON_SUBSCRIBE, Kind.CANCEL, Kind.ON_COMPLETE))
ERROR = Signal(Kind.ON_ERROR, note="OSError")


def request(n):
    return Signal(Kind.REQUEST, n)


def elements(n=1):
    return Signal(Kind.ON_NEXT, n)


def step(state, signal):
    return (subscriber_call if signal.kind in CALLS else publisher_signal)(state, signal)


def after(*signals):
    """The state behind ``signals``, all of them legal."""
    state = LinkState()
    for signal in signals:
        state = step(state, signal)
        assert isinstance(state, LinkState), state
    return state


ILLEGAL = [
    ("1.9", [], elements()),
    ("1.9", [], ERROR),
    ("1.9", [], COMPLETE),
    ("3.1", [], request(1)),
    ("3.1", [], CANCEL),
    ("2.12", [SUBSCRIBE], SUBSCRIBE),
    ("2.12", [SUBSCRIBE, CANCEL], SUBSCRIBE),
    ("2.12", [SUBSCRIBE, COMPLETE], SUBSCRIBE),
    ("1.1", [SUBSCRIBE], elements()),
    ("1.1", [SUBSCRIBE, request(3)], elements(4)),
    ("1.1", [SUBSCRIBE, request(3), elements(2)], elements(2)),
    ("1.1", [SUBSCRIBE, request(1), CANCEL], elements(2)),
    ("1.1", [SUBSCRIBE, CANCEL, request(1)], elements()),
    *(
        ("1.7", [SUBSCRIBE, request(5), end], late)
        for end in (ERROR, COMPLETE)
        for late in (elements(), ERROR, COMPLETE)
    ),
    ("1.7", [SUBSCRIBE, CANCEL, COMPLETE], COMPLETE),
    ("2.13", [], Signal(Kind.ON_SUBSCRIBE, wrong="None")),
    ("2.13", [SUBSCRIBE, request(1)], Signal(Kind.ON_NEXT, wrong="None")),
    ("2.13", [SUBSCRIBE], Signal(Kind.ON_ERROR, wrong="a str")),
    ("3.9", [SUBSCRIBE], request(0)),
    ("3.9", [SUBSCRIBE, request(5)], request(-1)),
    ("3.9", [SUBSCRIBE], Signal(Kind.REQUEST, 0, "a str")),
]


@pytest.mark.parametrize(
    ("rule", "before", "signal"),
    ILLEGAL,
    ids=[f"{r}-{'-'.join(map(str, b)) or 'first'}-{s}" for r, b, s in ILLEGAL],
)
def test_an_illegal_signal_is_a_violation_of_its_rule(rule, before, signal):
    violation = step(after(*before), signal)
    assert isinstance(violation, Violation)
    assert violation.rule == rule


@given(legal_traces())
def test_every_legal_trace_passes_and_demand_is_what_is_left(trace):
    state = after(*trace)
    asked = delivered = late = 0
    open_for_requests, cancelled = True, False
    for signal in trace:
        if signal.kind is Kind.REQUEST and open_for_requests:
            asked += signal.n
        elif signal.kind is Kind.ON_NEXT:
            delivered += signal.n
            late += signal.n if cancelled else 0
        elif signal.kind is not Kind.REQUEST and signal.kind is not Kind.ON_SUBSCRIBE:
            open_for_requests = False
            cancelled = cancelled or signal.kind is Kind.CANCEL
    assert state.late == late
    assert state.demand == (asked - delivered if asked < UNBOUNDED else UNBOUNDED)


@pytest.mark.parametrize("end", [ERROR, COMPLETE])
def test_a_stream_may_end_with_demand_left(end):
    assert after(SUBSCRIBE, request(9), elements(2), end).phase is Phase.ENDED


@pytest.mark.parametrize("end", [ERROR, COMPLETE])
def test_a_stream_may_end_before_anything_was_requested(end):
    assert after(SUBSCRIBE, end).phase is Phase.ENDED


@pytest.mark.parametrize("end", [ERROR, COMPLETE, CANCEL])
@pytest.mark.parametrize("call", [request(1), request(0), request(-3), CANCEL])
def test_calls_after_the_end_or_a_cancel_do_nothing(end, call):
    before = after(SUBSCRIBE, request(2), end)
    assert subscriber_call(before, call) == before


def test_requests_add_up_and_saturate():
    assert after(SUBSCRIBE, request(2), request(3)).demand == 5
    assert after(SUBSCRIBE, request(2**62), request(2**62)).demand == UNBOUNDED
    assert after(SUBSCRIBE, request(UNBOUNDED), request(1), elements(7)).demand == UNBOUNDED


def test_elements_after_a_cancel_are_counted_as_late():
    state = after(SUBSCRIBE, request(5), elements(), CANCEL, elements(3))
    assert (state.late, state.demand, state.phase) == (3, 1, Phase.CANCELLED)


@pytest.mark.parametrize("call", [request(1), CANCEL])
def test_a_call_before_on_subscribe_breaks_3_1(call):
    assert subscriber_call(LinkState(), call).rule == "3.1"


@pytest.mark.parametrize("within", [Kind.ON_COMPLETE, Kind.ON_ERROR])
@pytest.mark.parametrize("call", [request(1), CANCEL])
def test_a_call_from_inside_a_terminal_signal_breaks_2_3(within, call):
    violation = subscriber_call(after(SUBSCRIBE, COMPLETE), call, within)
    assert violation.rule == "2.3"
    assert violation.after == (within,)
    assert subscriber_call(after(SUBSCRIBE), call, Kind.ON_NEXT) != violation


@pytest.mark.parametrize(
    ("rule", "running", "second"),
    [("1.3", elements(), COMPLETE), ("1.3", SUBSCRIBE, elements()), ("2.7", request(1), CANCEL)],
)
def test_signals_of_two_threads_at_the_same_time_break_their_rule(rule, running, second):
    inside = enter(Inside(), 1, running, deepest=3)
    violation = enter(inside, 2, second, deepest=3)
    assert violation.rule == rule
    assert violation.after == (running.kind,)
    assert enter(leave(inside), 2, second, deepest=3) == Inside(2, (second,))


def test_on_next_may_be_nested_in_itself_up_to_the_bound():
    inside = Inside()
    for _ in range(3):
        inside = enter(inside, 1, elements(), deepest=3)
    assert enter(inside, 1, elements(), deepest=3).rule == "3.3"
    assert enter(inside, 1, COMPLETE, deepest=3).innermost(1) is Kind.ON_COMPLETE
    assert inside.innermost(2) is None
    assert leave(leave(leave(inside))) == Inside()


def test_a_signal_given_to_the_wrong_end_is_a_defect():
    with pytest.raises(DefectError):
        publisher_signal(after(SUBSCRIBE), CANCEL)
    with pytest.raises(DefectError):
        subscriber_call(after(SUBSCRIBE), COMPLETE)


@pytest.mark.parametrize(
    ("signal", "text"),
    [
        (elements(), "on_next"),
        (elements(5), "on_next of 5 elements"),
        (request(3), "request(3)"),
        (Signal(Kind.REQUEST, 0, "a str"), "request(a str)"),
        (ERROR, "on_error(OSError)"),
        (Signal(Kind.ON_NEXT, wrong="None"), "on_next(None)"),
        (CANCEL, "cancel"),
    ],
)
def test_a_signal_is_shown_as_it_was_called(signal, text):
    assert str(signal) == text
