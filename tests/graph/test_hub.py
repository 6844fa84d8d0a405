# mypy: disable-error-code="attr-defined, assignment, misc, union-attr, var-annotated"
"""Hubs: one run of a source, many subscribers that each get the same at their own pace."""

import threading

import pytest

import actors_rs.engine.boundary.hub
from actors_rs import UNBOUNDED, ActorSystem, Flow, Publisher, Sink, Source
from actors_rs.engine.assembly import prepare
from actors_rs.errors import GraphError, InvalidArgumentError, SlowSubscriberError, Stalled
from actors_rs.testing.tck import PublisherVerification
from tests.graph.helpers import SECONDS, Book, wait_until
from tests.graph.hubs import subscribe, watched

POLICIES = ["backpressure", "drop", "fail"]


@pytest.fixture(params=[False, True], ids=["plain", "monitored"])
def system(request):
    with ActorSystem(workers=2, monitor=request.param, shutdown_timeout=SECONDS) as system:
        yield system
        system.shutdown(drain=False)


def test_a_hub_is_a_publisher(system):
    assert isinstance(Source.of(1).hub(system, replay=1), Publisher)


@pytest.mark.parametrize("on_slow", POLICIES)
@pytest.mark.parametrize("replay", [0, 1, 16])
def test_one_subscriber_gets_all_elements_and_the_end(system, on_slow, replay):
    book = Book(first=UNBOUNDED)
    Source.range(0, 5000).hub(system, replay=replay, on_slow=on_slow).subscribe(book)
    assert book.wait() == "complete"
    assert book.elements == list(range(5000))


@pytest.mark.parametrize("replay", [0, 1, 7, 4096])
def test_all_subscribers_get_the_same_elements_at_their_own_paces(system, replay):
    made = []

    def counted():
        made.append(1)
        return iter(range(2000))

    books = [
        Book(first=n, on_element=lambda book, element: book.request(1)) for n in (1, 3, 50, 1000)
    ]
    total = system.subscriber(Sink.list())
    hub = Source.from_iterable(counted).hub(system, replay=replay)
    silent = Book()
    subscribe(hub, silent)  # holds everything back until the others are there
    hub.subscribe(total)
    subscribe(hub, *books)
    silent.subscription.cancel()
    for book in books:
        assert book.wait() == "complete"
        assert len(book.elements) >= 2000 - replay
        assert book.elements == list(range(2000))[-len(book.elements) :]
    assert total.run.result(SECONDS)[-1] == 1999
    assert made == [1]


def a_group(system, **options):
    """The one group of a run, which is running, and that run."""
    groups = []
    flow = Source.of(1, 2).append(Source.never()).group_by(lambda _: "all", 1, **options)
    run = system.start(flow.to(Sink.for_each(groups.append)))
    wait_until(lambda: groups)
    return groups[0], run


def test_a_group_is_taken_by_the_first_subscriber_of_its_hub(system):
    group, run = a_group(system)
    hub = group.hub(system)
    stage = next(stage for stage in run._scope.stages() if stage.kind == "group_by")
    assert len(stage.logic._groups.unclaimed()) == 1, "else it could stand still for ever"
    (book,) = subscribe(hub, Book(first=2))
    wait_until(lambda: book.elements == [1, 2])
    assert stage.logic._groups.unclaimed() == []


def test_a_hub_of_a_group_that_nobody_subscribes_to_stands_still_by_name(system):
    flow = Source.of(1, 2).group_by(lambda _: "all", 1, stall_after=0.01)
    hubs = []
    run = system.start(flow.to(Sink.for_each(lambda group: hubs.append(group.hub(system)))))
    with pytest.raises(Stalled, match="nobody runs the streams of groups 'all'"):
        run.result(SECONDS)
    assert hubs


def test_a_hub_of_a_stream_that_somebody_else_has_taken_tells_each_subscriber_so(system):
    group, _ = a_group(system)
    first, second = group.hub(system), group.hub(system)
    subscribe(first, Book())
    for book in subscribe(second, Book(), Book()):
        assert isinstance(book.wait(), GraphError)
    assert second.run.state == "failed"
    assert "open" in repr(first)


def test_subscribers_that_come_while_a_hub_begins_are_all_served(system, monkeypatch):
    hub = Source.range(0, 10).hub(system, replay=10)
    first, second = Book(first=UNBOUNDED), Book(first=UNBOUNDED)

    def beginning(*arguments):
        monkeypatch.setattr(actors_rs.engine.boundary.hub, "prepare", prepare)
        hub.subscribe(second)
        return prepare(*arguments)

    monkeypatch.setattr(actors_rs.engine.boundary.hub, "prepare", beginning)
    hub.subscribe(first)
    assert first.wait() == second.wait() == "complete"
    assert first.elements == second.elements == list(range(10))


def test_a_hub_that_has_not_begun_says_what_to_do_before_its_queue_is_asked_for(system):
    hub = Source.queue(10).hub(system)
    with pytest.raises(GraphError, match=r"not begun: .* hub\.subscribe\(system\.subscriber\("):
        hub.run.queue()
    hub.subscribe(system.subscriber(Sink.ignore()))
    queue = hub.run.queue()
    (book,) = subscribe(hub, Book(first=1))
    wait_until(lambda: book.subscription is not None)
    queue.put("late")
    wait_until(lambda: book.elements == ["late"])


def test_nothing_is_asked_of_upstream_before_a_subscriber_asks(system):
    source, drawn = watched(100)
    hub = source.hub(system, replay=4)
    assert hub.run.snapshot().stages == ()
    first, second = subscribe(hub, Book(), Book())
    assert all(stage.requested == 0 for stage in hub.run.snapshot().stages)
    assert drawn == []
    first.request(1)
    second.request(1)
    wait_until(lambda: first.elements == second.elements == [0])


def test_a_late_subscriber_begins_with_the_oldest_element_held(system):
    early, late = Book(first=10), Book(first=UNBOUNDED)
    hub = Source.range(0, 20).hub(system, replay=3)
    subscribe(hub, early)
    wait_until(lambda: len(early.elements) == 10)
    subscribe(hub, late)
    wait_until(lambda: len(late.elements) == 6)
    early.request(UNBOUNDED)
    assert early.wait() == late.wait() == "complete"
    assert early.elements == list(range(20))
    assert late.elements == list(range(7, 20))


def test_the_slowest_holds_the_others_up_within_the_replay_bound(system):
    slow, fast = Book(first=2), Book()
    hub = Source.range(0, 1000).hub(system, replay=5)
    subscribe(hub, slow, fast)
    fast.request(UNBOUNDED)
    wait_until(lambda: len(fast.elements) == 7)
    slow.request(1)
    wait_until(lambda: len(fast.elements) == 8)
    assert slow.elements == [0, 1, 2]
    slow.subscription.cancel()
    assert fast.wait() == "complete"
    assert fast.elements == list(range(1000))


def test_a_slow_subscriber_under_drop_misses_the_oldest_which_are_counted_and_not_kept(
    system, caplog
):
    slow, fast = Book(), Book()
    hub = Source.range(0, 1000).hub(system, replay=10, on_slow="drop", name="ticks")
    subscribe(hub, slow, fast)
    slow.request(1)
    fast.request(UNBOUNDED)
    assert fast.wait() == "complete"
    assert fast.elements == list(range(1000))
    slow.request(UNBOUNDED)
    assert slow.wait() == "complete"
    begin = slow.elements[0]
    assert slow.elements == [begin, *range(990, 1000)]
    assert hub.run.snapshot().stages[-1].details["dropped"] == 990 - (begin + 1)
    assert system.dead_letters.total == 0
    warnings = [text for text in caplog.messages if "on_slow='drop'" in text]
    assert len(warnings) == 1
    assert warnings[0].startswith("stage 'ticks': ")


def test_the_warning_about_a_slow_subscriber_names_its_run(system, caplog):
    hub = Source.range(0, 1000).hub(system, replay=10, on_slow="drop", name="ticks")
    client = Source.from_publisher(hub).with_attributes(window=16).to(Sink.queue(1))
    run = system.start(client, name="client 7")
    assert run.sink_queue().get(SECONDS) == 0
    fast = Book()
    subscribe(hub, fast)
    fast.request(UNBOUNDED)
    assert fast.wait() == "complete"
    (warning,) = [text for text in caplog.messages if "on_slow='drop'" in text]
    assert "<Subscriber: stage 'from_publisher' of run 'client 7'> requests too slowly" in warning
    run.cancel()


def test_a_slow_client_with_a_buffer_of_its_own_misses_elements_alone(system):
    hub, fast = Source.queue(16).hub(system, replay=100), Book(first=UNBOUNDED)
    feed = Source.from_publisher(hub).with_attributes(window=16)
    slow = system.start(feed.buffer(100, "drop_oldest").named("buffer").to(Sink.queue(1)))
    hub.subscribe(fast)
    wait_until(lambda: hub.run.snapshot().stages[-1].details.get("subscribers") == 2)
    for n in range(1000):
        hub.run.queue().put(n, timeout=SECONDS)
    hub.run.queue().complete()
    assert fast.wait() == "complete"
    assert fast.elements == list(range(1000))
    wait_until(hub.run.done)
    assert hub.run.snapshot().stages[-1].details["dropped"] == 0
    got = list(slow.sink_queue())
    assert got[-100:] == list(range(900, 1000))
    (buffer,) = [stage for stage in slow.snapshot().stages if stage.name == "buffer"]
    assert buffer.details["dropped"] == 1000 - len(got) > 0


def test_a_slow_subscriber_under_fail_gets_an_error_and_the_others_go_on(system):
    slow, fast = Book(), Book()
    hub = Source.range(0, 1000).hub(system, replay=10, on_slow="fail", name="ticks")
    subscribe(hub, slow, fast)
    slow.request(1)
    wait_until(lambda: slow.elements)
    fast.request(UNBOUNDED)
    error = slow.wait()
    assert isinstance(error, SlowSubscriberError)
    assert "ticks" in str(error)
    assert fast.wait() == "complete"
    assert fast.elements == list(range(1000))


@pytest.mark.parametrize("on_slow", ["drop", "fail"])
def test_a_subscriber_that_asks_within_each_element_is_not_slow(system, on_slow):
    steady = Book(first=1, on_element=lambda book, element: book.request(1))
    eager = Book()
    hub = Source.range(0, 3000).hub(system, replay=2, on_slow=on_slow)
    subscribe(hub, eager, steady)
    eager.request(UNBOUNDED)
    assert eager.wait() == steady.wait() == "complete"
    assert steady.elements == list(range(3000))
    assert system.dead_letters.total == 0


def test_subscribers_that_come_and_go_from_many_threads_all_see_a_run_of_the_stream(system):
    hub = Source.range(0, 10**9).hub(system, replay=8, keep_alive=True)
    books, lock = [], threading.Lock()

    def leave_after_100(book, element):
        if len(book.elements) == 100:
            book.subscription.cancel()
            book.over.set()
        elif len(book.elements) < 100:
            book.request(1)

    def come_and_go():
        for _ in range(15):
            book = Book(first=1, on_element=leave_after_100)
            with lock:
                books.append(book)
            hub.subscribe(book)
            assert book.over.wait(SECONDS)

    threads = [threading.Thread(target=come_and_go) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(3 * SECONDS)
    assert len(books) == 60
    for book in books:
        assert book.faults == []
        assert book.elements == list(range(book.elements[0], book.elements[0] + 100))
    wait_until(lambda: hub.run.snapshot().stages[-1].details["subscribers"] == 0)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"replay": -1}, "hub: replay must be at least 0, got -1"),
        (
            {"on_slow": "wait"},
            "hub: on_slow must be one of 'backpressure', 'drop', 'fail', got",
        ),
    ],
)
def test_an_option_out_of_its_range_is_refused_in_one_sentence(system, options, said):
    with pytest.raises(InvalidArgumentError, match=said):
        Source.of(1).hub(system, **options)


def test_a_flow_with_an_open_input_is_no_hub(system):
    with pytest.raises(GraphError, match="no source"):
        Flow().map(str).hub(system)
    with pytest.raises(TypeError, match=r"rule 1\.9"):
        Source.of(1).hub(system).subscribe(None)  # type: ignore[arg-type]


@pytest.mark.parametrize("on_slow", ["backpressure", "drop"])
class TestHubUnderTheKit(PublisherVerification):
    @pytest.fixture(autouse=True)
    def _system(self, on_slow):
        self.on_slow = on_slow
        with ActorSystem(workers=2, shutdown_timeout=SECONDS) as self.system:
            yield
            self.system.shutdown(drain=False)

    def create_publisher(self, elements):
        source = Source.range(0, elements)
        return source.hub(self.system, replay=8, keep_alive=True, on_slow=self.on_slow)

    def create_failed_publisher(self):
        return Source.failed(OSError("failed")).hub(self.system, keep_alive=True)
