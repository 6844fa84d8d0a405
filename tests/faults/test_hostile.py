# mypy: disable-error-code="var-annotated, no-untyped-def, arg-type, misc"
"""Objects that raise when they are looked at: elements, messages and exceptions of the user's."""

import pytest

from actors_rs import ActorSystem, ChildSpec, Graph, OneForOne, Sink, Source, Supervisor, merge
from actors_rs import zip as zip_
from actors_rs.errors import StageError
from actors_rs.testing.faults import HOSTILE_METHODS, Fault, hostile
from tests.faults.policies import AT_ONCE
from tests.graph.helpers import SECONDS, Book, wait_until
from tests.runtime.support import Recorder

LOOKED_AT = [name for name in HOSTILE_METHODS if name != "__del__"]


def hostile_error(*methods):
    """An exception whose methods raise."""
    kind = type(hostile(*methods))
    body = {name: value for name, value in vars(kind).items() if name in HOSTILE_METHODS}
    return type("HostileError", (Exception,), body)("as planned")


@pytest.fixture(params=[False, True], ids=["plain", "monitored"])
def system(request):
    with ActorSystem(workers=2, monitor=request.param, shutdown_timeout=SECONDS) as system:
        yield system


def same(ones, others):
    return [id(one) for one in ones] == [id(one) for one in others]


PASSING = {
    "map": lambda s: s.map(lambda one: one),
    "filter": lambda s: s.filter(lambda one: True),
    "fuse": lambda s: s.map(lambda one: one).filter(lambda one: True).fuse(),
    "map_async": lambda s: s.map_async(lambda one: one, 2),
    "merge": lambda s: merge(s, Source.empty()),
    "merge_preferred": lambda s: s.merge_preferred(Source.empty()),
    "interleave": lambda s: s.interleave(Source.empty()),
    "merge_sorted": lambda s: s.merge_sorted(Source.empty(), key=id),
    "zip": lambda s: zip_(s, Source.range(0, 9)).map(lambda pair: pair[0]),
    "batch": lambda s: s.batch(2).flat_map(lambda part: part),
    "flat_map": lambda s: s.flat_map(lambda one: Source.of(one), breadth=1),
    "switch_map": lambda s: s.take(1).switch_map(lambda one: Source.of(one)),
    "group_by": lambda s: s.group_by(lambda one: 0, 2).flat_map(lambda g: g, breadth=2),
    "partition": lambda s: merge(*s.partition(2, lambda one: 0)),
    "balance": lambda s: merge(*s.balance(1)),
    "also_to": lambda s: s.also_to(Sink.ignore()),
    "wire_tap": lambda s: s.wire_tap(Sink.ignore()),
    "buffer": lambda s: s.buffer(9, "drop_oldest"),
    "scan": lambda s: s.stateful_map(lambda: None, lambda state, one: (one, one)),
    "recover": lambda s: s.recover(lambda error: None),
    "prepend": lambda s: s.prepend(Source.empty()),
    "distinct": lambda s: s.distinct(key=id),
    "delay": lambda s: s.delay(0.001),
    "expand": lambda s: s.map(lambda one: one).take(9),
    "fan": lambda s: s.also_to(Sink.fan(Sink.ignore(), Sink.last())),
}


@pytest.mark.parametrize("name", PASSING)
def test_an_element_is_not_looked_at_on_its_way(system, name):
    elements = [hostile(*LOOKED_AT) for _ in range(4)]
    came = system.start(PASSING[name](Source.of(*elements)).to(Sink.list())).result(SECONDS)
    assert same(came, elements[: len(came)])
    assert came


def test_a_foreign_subscriber_gets_it_as_it_is(system):
    elements = [hostile(*LOOKED_AT) for _ in range(4)]
    book = Book(first=9)
    system.publisher(Source.of(*elements).map(lambda one: one)).subscribe(book)
    assert book.wait() == "complete"
    assert same(book.elements, elements)


@pytest.mark.parametrize("policy", ["resume", "restart"])
def test_an_element_that_fails_and_cannot_be_shown_becomes_a_dead_letter(system, policy):
    element = hostile(*LOOKED_AT)
    flow = Source.of(1, element, 2).map(lambda one: -one).on_failure(policy)
    assert system.start(flow.to(Sink.list())).result(SECONDS) == [-1, -2]
    (letter,) = system.dead_letters.recent()
    assert letter.what is element


def test_a_message_that_cannot_be_shown_reaches_its_actor_or_the_dead_letters(system):
    message = hostile(*LOOKED_AT)
    ref = system.spawn(Recorder)
    assert ref.ask(message, timeout=SECONDS) is message
    ref.stop()
    system.spawn(Recorder)
    assert not ref.is_alive()


@pytest.mark.parametrize("method", LOOKED_AT)
@pytest.mark.parametrize("policy", ["stop", "resume", "restart"])
def test_an_exception_that_raises_itself_is_a_failure_like_any_other(system, method, policy):
    errors = [hostile_error(method), hostile_error(method)]

    def fail(n):
        raise errors[n % 2]

    branches = Source.range(0, 4).broadcast(2)
    graph = Graph(*(b.map(fail).on_failure(policy).to(Sink.list()) for b in branches))
    run = system.start(graph)
    if policy != "stop":
        assert run.result(SECONDS) == ([], [])
        said = [one.why for one in system.dead_letters.recent()]
        assert sum("on_failure" in why for why in said) == 8
        return
    with pytest.raises(StageError, match="HostileError") as caught:
        run.result(SECONDS)
    assert caught.value.__cause__ is errors[0]


RECOVERIES = {
    "recover": lambda s: s.recover(lambda error: 7),
    "catch": lambda s: s.catch(lambda error: Source.of(7)),
    "recover_with": lambda s: s.recover_with(Source.of(7)),
    "restart": lambda s: s.restart(AT_ONCE, max_restarts=1).recover(lambda error: 7),
    "buffer": lambda s: s.buffer(4, "drop_oldest").recover(lambda error: 7),
    "merge_sorted": lambda s: s.merge_sorted(Source.empty()).recover(lambda error: 7),
}


@pytest.mark.parametrize("method", LOOKED_AT)
@pytest.mark.parametrize("name", RECOVERIES)
def test_an_exception_that_raises_itself_can_be_recovered_from(system, method, name):
    failing = Source.failed(hostile_error(method))
    assert system.start(RECOVERIES[name](failing).to(Sink.list())).result(SECONDS) == [7]


@pytest.mark.parametrize("method", LOOKED_AT)
@pytest.mark.parametrize("hub", ["hub", "partition_hub"])
def test_an_exception_that_raises_itself_reaches_the_subscribers_of_a_hub(system, method, hub):
    error, book = hostile_error(method), Book(first=1)
    more = (lambda one, count: 0,) if hub == "partition_hub" else ()
    getattr(Source.failed(error), hub)(system, *more).subscribe(book)
    assert book.wait() is error


@pytest.mark.parametrize("method", LOOKED_AT)
def test_an_exception_that_raises_itself_restarts_a_child_and_aborts_a_run(system, method):
    top = system.supervise(
        Supervisor(OneForOne(backoff=AT_ONCE), [ChildSpec(Recorder, (), name="a")])
    )
    child = top.child("a")
    child.tell(hostile_error(method))
    assert child.ask("alive", timeout=SECONDS) == "alive"
    error, run = hostile_error(method), system.start(Source.never().to(Sink.list()))
    run.abort(hostile_error(method))
    run.abort(error)
    assert run.wait(SECONDS)
    assert run.state == "failed"


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_an_element_that_raises_when_it_is_deleted_harms_nobody(system):
    def made():
        for _ in range(50):
            yield hostile("__del__")

    flow = Source.from_iterable(made).map(lambda one: one).filter(lambda one: False)
    assert system.start(flow.to(Sink.list())).result(SECONDS) == []
    wait_until(lambda: not system.children())


def test_what_is_made_hostile_raises_faults():
    with pytest.raises(Fault, match="injected in __repr__"):
        repr(hostile("__repr__"))
    assert hostile("__eq__") is not None
