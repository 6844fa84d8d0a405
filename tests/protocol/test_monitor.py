# mypy: disable-error-code="attr-defined, union-attr, var-annotated"
"""A monitor between foreign peers: each kind of violation is caught, and nothing else is."""

import threading
from contextlib import nullcontext

import pytest
from hypothesis import given

from actors_rs import Subscriber
from actors_rs.protocol.checks import FrameSubscriber, takes_frames
from actors_rs.protocol.link import CALLS, Kind
from actors_rs.protocol.monitor import REMEMBERED, RuleMonitor
from actors_rs.protocol.rules import MONITOR, RULES, rule
from tests.protocol.traces import legal_traces
from tests.protocol.violations import (
    VIOLATIONS,
    Asked,
    Link,
    Peer,
    asks_for_nothing,
    asks_from_two_threads,
    gives_none,
    raiser,
    signals_from_two_threads,
    too_many,
)


@pytest.mark.parametrize(
    ("misbehave", "number", "signals"), VIOLATIONS, ids=lambda one: getattr(one, "__name__", "")
)
def test_each_violation_names_rule_link_and_both_signals(misbehave, number, signals):
    link = Link()
    misbehave(link)
    assert link.broken() == [number]
    violation = link.called_back[0]
    assert violation.signals == signals
    assert violation.link == "'numbers' -> 'sum'"
    assert str(violation).startswith(f"rule {number}: ")
    assert "'numbers' -> 'sum'" in str(violation)
    assert any(rule(number).text in note for note in violation.__notes__)
    assert link.monitor.violations[0] is violation


def test_each_rule_said_to_be_monitored_has_its_violation_here():
    said = {known.id for known in RULES if MONITOR in known.checks}
    assert said == {number for _, number, _ in VIOLATIONS}


@pytest.mark.parametrize("misbehave", [signals_from_two_threads, asks_from_two_threads])
def test_signals_that_overlap_are_reported_with_the_stacks_of_both_threads(misbehave):
    link = Link()
    misbehave(link)
    earlier, later = link.called_back[0].stacks
    assert "in run" in earlier  # the thread's own loop: where the first signal came from
    assert misbehave.__name__ not in earlier
    assert misbehave.__name__ in later
    notes = "".join(link.called_back[0].__notes__)
    assert earlier in notes
    assert later in notes


def test_the_stack_told_of_a_nested_signal_is_its_own():
    link = Link()
    interrupted = threading.Thread(target=lambda: link.subscriber.on_complete())

    def nested_delivery(n):
        if n == 2:
            link.subscriber.on_next(2)

    def ask_or_be_interrupted(peer):
        if len(peer.got) == 2:
            peer.subscription.request(2)
        else:
            interrupted.start()
            interrupted.join()

    link.subscription.on_request = nested_delivery
    link.peer.on["on_next"] = ask_or_be_interrupted
    link.begin(1).subscriber.on_next(1)
    assert link.broken() == ["1.3"]
    assert "nested_delivery" in link.called_back[0].stacks[0]


def test_a_violation_tells_which_signals_came_before_it():
    link = Link()
    too_many(link)
    notes = link.called_back[0].__notes__
    assert any("on_subscribe, request(1), on_next" in note for note in notes)


def test_a_violation_is_passed_on_all_the_same():
    link = Link()
    too_many(link)
    assert link.peer.got == [("on_subscribe",), ("on_next", 1), ("on_next", 2)]
    asking = Link()
    asks_for_nothing(asking)
    assert asking.subscription.got == [0]


def test_a_type_error_for_none_is_no_second_violation():
    link = Link(on_next=raiser(TypeError("rule 2.13")))
    with pytest.raises(TypeError):
        gives_none(link)
    assert link.broken() == ["2.13"]
    assert "got None" in str(link.called_back[0])


def test_the_second_subscription_is_passed_on_for_the_subscriber_to_cancel():
    link, second = Link(), Asked()
    link.begin()
    first = link.peer.subscription
    link.subscriber.on_subscribe(second)
    link.peer.subscription.cancel()
    assert second.got == ["cancel"]
    first.request(1)  # the first is as it was
    link.subscriber.on_next(1)
    assert link.subscription.got == [1]
    assert link.broken() == ["2.12"]


@given(legal_traces())
def test_a_legal_trace_is_passed_on_without_a_violation(trace):
    link = Link()
    for signal in trace:
        if signal.kind in CALLS:
            args = (signal.n,) if signal.kind is Kind.REQUEST else ()
            getattr(link.peer.subscription, signal.kind.value)(*args)
        elif signal.kind is Kind.ON_NEXT:
            for element in range(signal.n):
                link.subscriber.on_next(element)
        elif signal.kind is Kind.ON_ERROR:
            link.subscriber.on_error(ValueError())
        elif signal.kind is Kind.ON_SUBSCRIBE:
            link.begin()
        else:
            link.subscriber.on_complete()
    assert link.broken() == []
    assert link.monitor.violations == ()
    sent = [s.n for s in trace if s.kind is Kind.REQUEST]
    assert [n for n in link.subscription.got if n != "cancel"] == sent
    elements = sum(s.n for s in trace if s.kind is Kind.ON_NEXT)
    assert sum(name == "on_next" for name, *_ in link.peer.got) == elements


def test_requests_from_inside_on_next_are_legal():
    link = Link(on_subscribe=lambda peer: peer.subscription.request(1))
    left = [4, 3, 2, 1]

    def deliver(n):
        element = left.pop()
        link.subscriber.on_next(element)
        if element == 4:
            link.subscriber.on_complete()

    def ask(peer):
        if left:
            peer.subscription.request(1)

    link.subscription.on_request = deliver
    link.peer.on["on_next"] = ask
    link.begin()
    assert link.broken() == []
    assert [element for _, *element in link.peer.got if element] == [[1], [2], [3], [4]]
    assert link.peer.got[-1] == ("on_complete",)


def test_a_cancel_while_another_thread_is_in_on_complete_is_legal():
    link = Link()
    link.peer.on["on_complete"] = lambda peer: _on_a_thread(peer.subscription.cancel)
    link.begin().subscriber.on_complete()
    assert link.broken() == []


def _on_a_thread(call):
    thread = threading.Thread(target=call)
    thread.start()
    thread.join()


def test_serial_signals_of_many_threads_are_legal():
    link = Link().begin(100)
    for n in range(100):
        _on_a_thread(lambda n=n: link.subscriber.on_next(n))
    _on_a_thread(link.subscriber.on_complete)
    assert link.broken() == []


def test_what_is_remembered_is_bounded():
    link = Link().begin()
    for n in range(10 * REMEMBERED):
        link.subscriber.on_next(n)
    assert len(link.monitor.violations) == REMEMBERED
    assert len(link.monitor.recent) == REMEMBERED
    assert len(link.called_back) == 10 * REMEMBERED


def test_late_elements_are_counted_and_are_no_violation():
    link = Link().begin(5)
    link.peer.subscription.cancel()
    link.subscriber.on_next(1)
    link.subscriber.on_next(2)
    assert link.monitor.state.late == 2
    assert link.broken() == []


def test_a_frame_of_n_counts_as_n_elements():
    class Framed(Peer, FrameSubscriber):
        def on_frame(self, frame):
            self.got.append(("on_frame", *frame))

    link = Link()
    link.peer = Framed()
    link.subscriber = link.monitor.wrap_subscriber(link.peer)
    link.begin(3).subscriber.on_frame([1, 2])
    assert link.monitor.state.demand == 1
    link.subscriber.on_frame([3, 4])
    assert link.broken() == ["1.1"]
    assert link.called_back[0].signals == ("request(3)", "on_next of 2 elements")
    assert not takes_frames(Link().subscriber)


def test_a_monitored_peer_with_an_on_frame_of_its_own_gets_single_elements():
    link = Link()
    link.peer.on_frame = link.peer.got.append
    link.subscriber = link.monitor.wrap_subscriber(link.peer)
    link.begin(1).subscriber.on_next(1)
    assert not takes_frames(link.subscriber)
    assert link.peer.got == [("on_subscribe",), ("on_next", 1)]


def test_a_checked_subscriber_is_a_subscriber():
    assert isinstance(Link().subscriber, Subscriber)


def test_a_monitor_tells_threads_apart_by_what_it_was_given():
    running = [1]

    def interrupt(peer):
        running[0] = 2
        subscriber.on_complete()
        running[0] = 1

    monitor = RuleMonitor("a", "b", lock=nullcontext(), thread=lambda: running[0])
    peer = Peer(on_next=interrupt)
    subscriber = monitor.wrap_subscriber(peer)
    subscriber.on_subscribe(Asked())
    peer.subscription.request(1)
    subscriber.on_next(1)
    assert [violation.rule for violation in monitor.violations] == ["1.3"]


@pytest.mark.parametrize("kind", [SystemExit, KeyboardInterrupt, GeneratorExit])
def test_a_peer_that_raises_what_is_no_exception_has_broken_a_rule_all_the_same(kind):
    error = kind()
    link = Link(on_next=raiser(error)).begin(1)
    with pytest.raises(kind):
        link.subscriber.on_next(1)
    assert link.broken() == ["2.13"]
    assert link.called_back[0].__cause__ is error
