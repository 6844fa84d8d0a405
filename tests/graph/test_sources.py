# mypy: disable-error-code="arg-type, call-overload, misc, union-attr, var-annotated"
"""Sources: made anew in each run, drawn as demanded, released at any end."""

import json
import sqlite3
import threading
from concurrent.futures import Future
from functools import partial
from itertools import count

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from actors_rs import UNBOUNDED, Sink, Source
from actors_rs.errors import InvalidArgumentError, MissingExtraError, ReadError, StageError
from actors_rs.runtime.supervision.backoff import Backoff
from tests.graph.helpers import SECONDS, Book, Feed, wait_until
from tests.graph.models import Asker, demands, numbers, quick, windows


def result(system, flow, window=16):
    return system.start(flow.to(Sink.list().with_attributes(window=window))).result(SECONDS)


def failure(system, flow):
    with pytest.raises(StageError) as caught:
        result(system, flow)
    return caught.value


def settled(value):
    future = Future()
    future.set_result(value)
    return future


async def coroutine():
    return 7


MADE = []


class Resource:
    """Numbers to read, and whether it was closed."""

    def __init__(self, xs):
        self.left = iter(xs)
        self.closed = 0
        self.threads = set()
        MADE.append(self)

    def read(self):
        self.threads.add(threading.get_ident())
        return next(self.left, None)

    def close(self):
        self.closed += 1


def resource_of(xs):
    return Source.unfold_resource(lambda: Resource(xs), Resource.read, Resource.close)


SOURCES = {
    "of": (lambda xs: Source.of(*xs), list),
    "defer": (lambda xs: Source.defer(*[lambda x=x: x for x in xs]), list),
    "list": (Source.from_iterable, list),
    "tuple": (lambda xs: Source.from_iterable(tuple(xs)), list),
    "set": (lambda xs: Source.from_iterable(set(xs)), lambda xs: list(set(xs))),
    "generator": (lambda xs: Source.from_iterable(lambda: (x for x in xs)), list),
    "range": (lambda xs: Source.range(3, len(xs)), lambda xs: list(range(3, 3 + len(xs)))),
    "repeat": (lambda xs: Source.repeat("x", len(xs)), lambda xs: ["x"] * len(xs)),
    "unfold": (
        lambda xs: Source.unfold(0, lambda i: (xs[i], i + 1) if i < len(xs) else None),
        list,
    ),
    "unfold_resource": (resource_of, list),
    "from_future": (lambda xs: Source.from_future(settled(xs)), lambda xs: [xs]),
    "from_function": (lambda xs: Source.from_future(lambda: settled(xs)), lambda xs: [xs]),
}


@pytest.mark.parametrize("name", SOURCES)
@quick
@given(xs=numbers, window=windows, demand=demands, inside=st.booleans())
def test_a_source_gives_its_elements_in_every_run_and_to_every_demand(
    shared, name, xs, window, demand, inside
):
    make, model = SOURCES[name]
    source, expected = make(xs), model(xs)
    assert [result(shared, source, window) for _ in range(2)] == [expected] * 2
    asker = Asker(demand, inside)
    shared.publisher(source).subscribe(asker)
    assert asker.drive() == "complete"
    assert asker.elements == expected


def lost_on_the_way():
    yield from (1, 2, 3)
    raise OSError("lost on the way")


USED_AGAIN = {
    "run": lambda s: s,
    "restarted": lambda s: s.restart(Backoff(0, 0), max_restarts=1),
    "started instead": lambda s: s.recover_with(s),
    "drawn by a host": lambda s: Source.of(1).flat_map(lambda _: s),
}


@pytest.mark.parametrize("again", USED_AGAIN)
def test_a_generator_that_has_ended_is_no_stream_that_completes(shared, again):
    source = USED_AGAIN[again](Source.from_iterable(lost_on_the_way()))
    if again in ("run", "drawn by a host"):
        with pytest.raises(StageError, match="lost on the way"):
            result(shared, source)
    with pytest.raises(StageError, match="expected a generator that goes on, got one that has end"):
        result(shared, source)


def test_an_initial_state_is_copied_for_each_run(shared):
    def pop(state):
        return (state.pop(), state) if state else None

    source = Source.unfold([1, 2, 3], pop)
    assert [result(shared, source) for _ in range(2)] == [[3, 2, 1]] * 2


def test_defer_calls_a_function_only_when_its_element_is_asked_for(shared):
    calls = []

    def call(n):
        calls.append(n)
        return n

    book = Book(first=2)
    source = Source.defer(*[partial(call, n) for n in range(9)])
    shared.publisher(source).subscribe(book)
    wait_until(lambda: book.elements == [0, 1])
    assert calls == [0, 1]
    book.subscription.cancel()


@pytest.mark.parametrize("how", ["end", "failure", "cancel"])
def test_a_resource_is_closed_once_at_any_end_and_used_on_one_thread_of_its_own(shared, how):
    MADE.clear()
    bad = how == "failure"
    flow = resource_of(count(1) if how == "cancel" else [1, 2, 3]).map(lambda x: 1 / (x - 3 * bad))
    run = shared.start((flow.take(2) if how == "cancel" else flow).to(Sink.count()))
    assert run.wait(SECONDS)
    (made,) = MADE
    wait_until(lambda: made.closed == 1)
    assert len(made.threads) == 1


def test_a_resource_that_is_never_asked_for_is_never_opened(shared):
    MADE.clear()
    assert result(shared, resource_of([1]).take(0)) == []
    assert MADE == []


# Futures


@pytest.mark.parametrize("make", [lambda: settled(7), coroutine])
def test_a_function_for_from_future_is_called_in_each_run(shared, make):
    assert [result(shared, Source.from_future(make)) for _ in range(2)] == [[7], [7]]


def test_a_future_that_is_set_later_is_waited_for_without_a_thread(shared):
    future = Future()
    run = shared.start(Source.from_future(future).to(Sink.list()))
    assert not run.done()
    future.set_result(5)
    assert run.result(SECONDS) == [5]


def test_a_future_that_fails_fails_the_stream_with_its_error(shared):
    future = Future()
    future.set_exception(KeyError("lost"))
    assert isinstance(failure(shared, Source.from_future(future)).__cause__, KeyError)


def test_a_future_that_was_made_for_a_run_is_cancelled_with_it(shared):
    future, called = Future(), threading.Event()
    book = Book(first=1)

    def make():
        called.set()
        return future

    shared.publisher(Source.from_future(make)).subscribe(book)
    assert called.wait(SECONDS)
    book.subscription.cancel()
    wait_until(future.cancelled)


def test_a_future_that_was_given_is_left_to_whoever_has_it(shared):
    future = Future()
    flow = Source.from_future(future).merge(Source.of(1)).take(1)
    assert result(shared, flow) == [1]
    future.set_result(2)  # raises if it was cancelled


def test_what_is_no_future_is_named(shared):
    error = failure(shared, Source.from_future(lambda: 3))
    assert "needs a concurrent.futures.Future or a coroutine, got 3" in str(error)


# Publishers


def test_somebody_elses_publisher_is_subscribed_to_in_each_run_and_asked_by_window(shared):
    feed = Feed()
    graph = Source.from_publisher(feed).with_attributes(window=8).map(str).to(Sink.list())
    for _ in range(2):
        feed.requests.clear()
        run = shared.start(graph)
        wait_until(lambda: feed.requests)
        assert feed.requests == [8]
        for n in range(5):
            feed.subscriber.on_next(n)
        feed.subscriber.on_complete()
        assert run.result(SECONDS) == ["0", "1", "2", "3", "4"]


def test_the_failure_of_somebody_elses_publisher_is_the_runs(shared):
    feed = Feed()
    run = shared.start(Source.from_publisher(feed).to(Sink.list()))
    wait_until(lambda: feed.requests)
    feed.subscriber.on_error(KeyError("theirs"))
    with pytest.raises(KeyError, match="theirs"):
        run.result(SECONDS)


def test_a_cancellation_reaches_somebody_elses_publisher(shared):
    feed = Feed()
    run = shared.start(Source.from_publisher(feed).take(1).to(Sink.list()))
    wait_until(lambda: feed.requests)
    feed.subscriber.on_next("only")
    assert run.result(SECONDS) == ["only"]
    assert feed.cancelled.wait(SECONDS)


def test_our_own_publisher_can_be_a_source_too(shared):
    publisher = shared.publisher(Source.range(0, 100))
    assert result(shared, Source.from_publisher(publisher), window=7) == list(range(100))


# Files


def test_csv_gives_dicts_by_the_first_row_or_lists(shared, tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text('\ufeffname;note\r\na;"1;2"\r\n\r\nb;"x\ny"\r\n', "utf-8")
    rows = [{"name": "a", "note": "1;2"}, {"name": "b", "note": "x\ny"}]
    assert result(shared, Source.csv(path, delimiter=";")) == rows
    lists = [["name", "note"], ["a", "1;2"], ["b", "x\ny"]]
    assert result(shared, Source.csv(path, delimiter=";", header=False)) == lists


def test_a_csv_row_of_another_length_is_named_with_its_line(shared, tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("a,b\n1,2\n3\n")
    error = failure(shared, Source.csv(path))
    assert (error.stage, error.position) == ("csv", 1)
    assert isinstance(error.__cause__, ReadError)
    assert f"could not read {path}, line 3: expected 2 fields, got 1" in str(error)


def test_a_column_that_is_there_twice_is_an_error_and_no_loss(shared, tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("a,b,a\n1,2,3\n")
    assert "got 'a' more than once" in str(failure(shared, Source.csv(path)))


def test_an_empty_csv_gives_nothing(shared, tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("")
    assert result(shared, Source.csv(path)) == []


def test_jsonl_gives_a_value_of_each_line_and_names_the_line_that_is_none(shared, tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_text('{"a": 1}\n\n[2]\nnull\n')
    assert result(shared, Source.jsonl(path)) == [{"a": 1}, [2], None]
    path.write_text("[1]\n", "utf-8-sig")
    assert result(shared, Source.jsonl(path)) == [[1]]
    path.write_text('{"a": 1}\n{"a": \n')
    assert f"could not read {path}, line 2: " in str(failure(shared, Source.jsonl(path)))


def test_what_the_jsonl_sink_wrote_the_jsonl_source_reads(shared, tmp_path):
    rows = [{"n": n, "text": "a\nb"} for n in range(300)]
    path = tmp_path / "rows.jsonl"
    shared.start(Source.of(*rows).to(Sink.jsonl(path))).result(SECONDS)
    assert result(shared, Source.jsonl(path)) == rows


def test_sqlite_gives_tuples_or_dicts_and_leaves_the_database_alone(shared, tmp_path):
    path = tmp_path / "a b#.db"
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE t (n INTEGER, name TEXT)")
        database.executemany("INSERT INTO t VALUES (?, ?)", [(n, str(n)) for n in range(50)])
    database.close()
    source = Source.sqlite(path, "SELECT n, name FROM t WHERE n >= ? ORDER BY n", (47,))
    assert result(shared, source) == [(47, "47"), (48, "48"), (49, "49")]
    query = "SELECT n FROM t WHERE n = :n"
    assert result(shared, Source.sqlite(path, query, {"n": 3}, dicts=True)) == [{"n": 3}]
    error = failure(shared, Source.sqlite(path, "DELETE FROM t"))
    assert "expected a query, got a statement that writes" in str(error)


@pytest.mark.parametrize(
    "make",
    [Source.csv, Source.jsonl, Source.parquet, lambda path: Source.sqlite(path, "SELECT 1")],
)
def test_a_file_that_is_not_there_is_named_and_not_made(shared, tmp_path, make):
    path = tmp_path / "none"
    assert f"could not read {path}" in str(failure(shared, make(path)))
    assert not path.exists()


def test_parquet_gives_record_batches_of_a_file_or_of_a_directory(shared, tmp_path):
    rows = [{"n": n, "even": n % 2 == 0} for n in range(10)]
    for number, part in enumerate((rows[:6], rows[6:])):
        parquet.write_table(pa.Table.from_pylist(part), tmp_path / f"part-{number}.parquet")
    (tmp_path / ".part-9.parquet.tmp").write_text("not yet a file")
    source = Source.parquet(tmp_path, rows_per_batch=4)
    batches = result(shared, source)
    assert [batch.num_rows for batch in batches] == [4, 2, 4]
    assert [row for batch in batches for row in batch.to_pylist()] == rows
    (only,) = result(shared, Source.parquet(tmp_path / "part-1.parquet", ["n"]))
    assert only.to_pylist() == [{"n": n} for n in range(6, 10)]


def test_parquet_without_pyarrow_is_refused_when_the_blueprint_is_built(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match="pip install"):
        Source.parquet("somewhere")


def test_files_gives_sorted_paths_of_files_only(shared, tmp_path):
    for name in ("b/2.csv", "a/1.csv", "a/x.txt", "3.csv"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    (tmp_path / "z.csv").mkdir()
    for pattern in (f"{tmp_path}/**/*.csv", tmp_path / "**" / "*.csv"):
        found = result(shared, Source.files(pattern))
        assert [path.relative_to(tmp_path).as_posix() for path in found] == [
            "3.csv",
            "a/1.csv",
            "b/2.csv",
        ]


def test_a_file_is_read_only_as_far_as_it_is_asked_for(shared, tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_text("\n".join(json.dumps(n) for n in range(10)) + "\nno json\n")
    book = Book(first=3)
    shared.publisher(Source.jsonl(path)).subscribe(book)
    wait_until(lambda: book.elements == [0, 1, 2])
    assert book.ends == []
    book.request(UNBOUNDED)
    assert isinstance(book.wait(), StageError)
    assert book.elements == list(range(10))


@pytest.mark.parametrize(
    ("make", "error", "says"),
    [
        (lambda: Source.defer(1), TypeError, "Source.defer: each argument must be callable, got 1"),
        (lambda: Source.from_future(1), TypeError, "needs a concurrent.futures.Future, or a f"),
        (lambda: Source.from_publisher(Book), TypeError, "from_publisher needs a Publisher, got"),
        (lambda: Source.queue(0), InvalidArgumentError, "capacity must be at least 1, got 0"),
        (lambda: Source.queue(1, "drop"), InvalidArgumentError, "overflow must be one of"),
        (lambda: Source.csv(3), TypeError, "Source.csv: path must be a text, a path, an open file"),
        (lambda: Source.lines("a\0b"), InvalidArgumentError, "path must not contain a NUL char"),
        (lambda: Sink.jsonl(b"\0"), TypeError, "Sink.jsonl: path must be a text or a path, got"),
        (lambda: Sink.parquet("\0"), InvalidArgumentError, "directory must not contain a NUL"),
        (lambda: Source.csv("x", delimiter=""), TypeError, "delimiter must be one character"),
        (lambda: Source.jsonl(None), TypeError, "Source.jsonl: path"),
        (lambda: Source.sqlite("x", ""), InvalidArgumentError, "query must not be empty, got ''"),
        (lambda: Source.parquet("x", rows_per_batch=0), InvalidArgumentError, "rows_per_batch"),
        (lambda: Source.parquet("x", "n"), TypeError, "columns must be a list of names, got 'n'"),
        (lambda: Source.files(""), InvalidArgumentError, "pattern must not be empty, got ''"),
        (lambda: Source.unfold_resource(1, len, len), TypeError, "open must be callable"),
        (lambda: Source.unfold_resource(int, 1, len), TypeError, "read must be callable"),
        (lambda: Source.unfold_resource(int, len, 1), TypeError, "close must be callable"),
        (lambda: Source.unfold(threading.Lock(), len), TypeError, "state must be something"),
    ],
)
def test_a_wrong_argument_is_refused_when_the_blueprint_is_built(make, error, says):
    with pytest.raises(error, match=says):
        make()
