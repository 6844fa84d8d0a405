"""A foreign publisher that breaks a rule ends its link, behind all that it gave before."""

import contextlib

import pytest

from actors_rs import ActorSystem, Flow, Sink, Source
from actors_rs.errors import ProtocolViolation
from tests.graph.helpers import SECONDS, Book, wait_until


@pytest.fixture
def system():
    with ActorSystem(workers=2, shutdown_timeout=SECONDS) as system:
        yield system


class Scripted:
    """Signals what its script says when it is asked first: all that is there before any is read."""

    def __init__(self, script, again=lambda n: None):
        self.scripts = [script]
        self.again = again
        self.cancelled = 0

    def subscribe(self, subscriber):
        self.subscriber = subscriber
        subscriber.on_subscribe(self)

    def request(self, n):
        if self.scripts:
            self.scripts.pop()(self.subscriber)
        else:
            self.again(n)

    def cancel(self):
        self.cancelled += 1


def gives_none(subscriber):
    subscriber.on_next(1)
    subscriber.on_next(2)
    with contextlib.suppress(TypeError):
        subscriber.on_next(None)


def fails_with_a_text(subscriber):
    subscriber.on_next(1)
    subscriber.on_next(2)
    with contextlib.suppress(TypeError):
        subscriber.on_error("no exception")


def subscribes_with_nothing(subscriber):
    subscriber.on_next(1)
    subscriber.on_next(2)
    with contextlib.suppress(TypeError):
        subscriber.on_subscribe(None)


def goes_on_behind_its_end(subscriber):
    subscriber.on_next(1)
    subscriber.on_next(2)
    subscriber.on_complete()
    subscriber.on_next(3)


def gives_too_many(subscriber):
    for n in range(1, 6):
        subscriber.on_next(n)


BROKEN = [
    ("2.13", gives_none, [1, 2]),
    ("2.13", fails_with_a_text, [1, 2]),
    ("2.13", subscribes_with_nothing, [1, 2]),
    ("1.7", goes_on_behind_its_end, [1, 2]),
    ("1.1", gives_too_many, [1, 2, 3, 4]),
]


@pytest.mark.parametrize(("number", "script", "given"), BROKEN)
def test_what_was_given_before_a_violation_is_delivered_first(system, number, script, given):
    got: list[int] = []
    source = Source.from_publisher(Scripted(script)).with_attributes(window=4)
    run = system.start(source.to(Sink.for_each(got.append)))
    with pytest.raises(ProtocolViolation, match=rf"rule {number}: .*from_publisher"):
        run.result(SECONDS)
    assert got == given


@pytest.mark.parametrize(("number", "script", "given"), BROKEN)
def test_a_violation_waits_for_demand_like_any_failure(system, number, script, given):
    book = Book(first=1, on_element=lambda book, _: book.request(1))
    source = Source.from_publisher(Scripted(script)).with_attributes(window=4)
    system.publisher(source.via(Flow().flat_map(lambda n: [n, -n]))).subscribe(book)
    error = book.wait()
    assert isinstance(error, ProtocolViolation)
    assert error.rule == number
    assert book.elements == [m for n in given for m in (n, -n)]


def test_a_publisher_that_goes_on_behind_its_failure_has_failed_with_that(system):
    def script(subscriber):
        subscriber.on_next(1)
        subscriber.on_next(2)
        subscriber.on_error(OSError("gone"))
        subscriber.on_complete()

    got: list[int] = []
    source = Source.from_publisher(Scripted(script))
    with pytest.raises(OSError, match="gone") as caught:
        system.start(source.to(Sink.for_each(got.append))).result(SECONDS)
    assert got == [1, 2]
    assert any("rule 1.7" in note for note in caught.value.__notes__)


def test_a_request_that_raises_loses_no_element_that_is_in_hand(system):
    def four(subscriber):
        for n in range(4):
            subscriber.on_next(n)

    def rude(n):
        raise error

    error = OSError("gone")
    got: list[int] = []
    source = Source.from_publisher(Scripted(four, again=rude)).with_attributes(window=4)
    run = system.start(source.to(Sink.for_each(got.append)))
    with pytest.raises(ProtocolViolation, match=r"rule 3\.16: .*gone") as caught:
        run.result(SECONDS)
    assert caught.value.__cause__ is error
    assert got == [0, 1, 2, 3]


def test_a_publisher_is_cancelled_once_for_its_violation_and_what_was_under_way_is_none(system):
    publisher = Scripted(gives_too_many)
    subscriber = system.subscriber(Sink.list().with_attributes(window=4))
    publisher.subscribe(subscriber)
    with pytest.raises(ProtocolViolation, match=r"rule 1\.1"):
        subscriber.run.result(SECONDS)
    subscriber.on_next(6)
    subscriber.on_complete()
    assert publisher.cancelled == 1
    assert system.dead_letters.total == 0


def test_a_violation_behind_the_end_of_the_stage_is_a_dead_letter(system):
    subscriber = system.subscriber(Sink.first())
    Scripted(lambda subscriber: subscriber.on_next(1)).subscribe(subscriber)
    assert subscriber.run.result(SECONDS) == 1
    wait_until(lambda: not system.children())
    with pytest.raises(TypeError, match=r"rule 2\.13"):
        subscriber.on_next(None)
    assert "rule 2.13" in system.dead_letters.recent()[-1].why


class Unannounced:
    """Gives an end in place of ``on_subscribe``, and the subscription behind it."""

    def __init__(self, *signals):
        self.signals = signals
        self.asked = []

    def subscribe(self, subscriber):
        for name, *args in self.signals:
            getattr(subscriber, name)(*args)
        subscriber.on_subscribe(self)

    def request(self, n):
        self.asked.append(n)

    def cancel(self):
        self.asked.append("cancel")


GONE = OSError("gone")


@pytest.mark.parametrize("monitor", [False, True])
@pytest.mark.parametrize(
    "signals",
    [[("on_complete",)], [("on_next", 1), ("on_complete",)], [("on_error", GONE)]],
    ids=str,
)
def test_a_signal_before_on_subscribe_ends_the_run_with_rule_1_9(signals, monitor):
    publisher = Unannounced(*signals)
    with ActorSystem(workers=2, shutdown_timeout=SECONDS, monitor=monitor) as system:
        run = system.start(Source.from_publisher(publisher).to(Sink.list()))
        with pytest.raises(ProtocolViolation, match=r"rule 1\.9: .*from_publisher") as caught:
            run.result(SECONDS)
        wait_until(lambda: publisher.asked)
    assert publisher.asked == ["cancel"]
    assert caught.value.__cause__ is (GONE if signals[0][0] == "on_error" else None)


@pytest.mark.parametrize("end", ["subscriber", "processor"])
def test_elements_that_nobody_could_ask_for_are_no_stream(system, end):
    entry = getattr(system, end)(Sink.list() if end == "subscriber" else Flow())
    if end == "processor":
        entry.subscribe(Book(first=9))
    entry.on_next(1)
    entry.on_complete()
    with pytest.raises(ProtocolViolation, match=r"rule 1\.9"):
        entry.run.result(SECONDS)
