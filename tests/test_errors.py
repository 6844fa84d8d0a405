"""What the exceptions of this package promise whoever catches them."""

import asyncio
import copy
import pickle
import re
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context

import pytest

from actors_rs import Flow, Sink, Source
from actors_rs.engine.run.result import first_of
from actors_rs.errors import (
    BufferOverflowError,
    CallExitError,
    EmptyStreamError,
    MissingExtraError,
    ProtocolViolation,
    ReadError,
    RestartLimitError,
    SlowSubscriberError,
    StageError,
    StreamTimeoutError,
    TooManyGroupsError,
    WriteError,
)
from actors_rs.raised import named_by, note_once

cause = OSError("no such table")
RAISED = [
    ProtocolViolation("3.9", "request(n) needs n >= 1", link="a -> b", signals=("request(0)",)),
    RestartLimitError("family", "child", "3 in 5 s", cause),
    StageError("parse", cause, 3, "etl.py:7"),
    WriteError("out.jsonl", cause),
    ReadError("in.csv", cause, 7),
    SlowSubscriberError("hub", "2 elements behind"),
    EmptyStreamError("no element came"),
    StreamTimeoutError("slow", "idle_timeout(3)", "nothing came"),
    BufferOverflowError("held", 3),
    TooManyGroupsError("group_by", 3, "'d'"),
    MissingExtraError("parquet needs pyarrow"),
    named_by("mean price", "job.py:3", EmptyStreamError("no element came")),
]


@pytest.mark.parametrize("again", [lambda error: pickle.loads(pickle.dumps(error)), copy.copy])
@pytest.mark.parametrize("error", RAISED, ids=lambda error: type(error).__name__)
def test_an_error_that_was_pickled_or_copied_is_what_it_was(error, again):
    error.add_note("that was attempt 3")
    other = again(error)
    assert type(other) is type(error)
    assert str(other) == str(error)
    assert vars(other) == vars(error)


def fail_in_a_stream():
    Source.of(1, 0).map(lambda n: 1 / n).named("divide").run(Sink.list())


def test_a_stream_that_fails_in_a_process_pool_tells_whoever_waits_which_stage_it_was():
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        with pytest.raises(StageError, match="stage 'divide' failed at element 1") as caught:
            pool.submit(fail_in_a_stream).result(60)
    assert caught.value.position == 1


@dataclass(frozen=True)
class FrozenError(Exception):
    """It refuses attributes."""

    code: int


class UnreadableError(Exception):
    """It has no notes, and says so loudly."""

    @property
    def __notes__(self):  # type: ignore[override]
        raise KeyError("none")


@pytest.mark.parametrize("error", [OSError("gone"), FrozenError(3)])
def test_an_error_that_comes_again_and_again_is_noted_the_same_once(error):
    for note in ("first", "second", "first", "first"):
        note_once(error, note)
    assert error.__notes__ == ["first", "second"]


def test_an_error_that_takes_no_notes_stays_without():
    note_once(UnreadableError(), "first")


def runs_out(_order):
    raise TimeoutError


async def waits_in_vain(_order):
    async with asyncio.timeout(0):
        await asyncio.sleep(1)


@pytest.mark.parametrize(
    ("flow", "function"),
    [
        (Flow[int]().map(runs_out), "runs_out"),
        (Flow[int]().map_async(waits_in_vain, parallelism=1), "waits_in_vain"),
    ],
    ids=["map", "map_async"],
)
def test_an_error_without_a_text_says_where_it_was_raised(flow, function):
    with pytest.raises(StageError) as caught:
        Source.of(1).via(flow).run(Sink.list())
    where = rf"at element 0: TimeoutError without a text, raised in {function} \(.*test_errors.py:"
    assert re.search(where, str(caught.value))


@pytest.mark.parametrize(
    "error",
    [
        StageError("parse", TimeoutError()),
        RestartLimitError("family", "child", "3 in 5 s", AssertionError()),
        WriteError("out.jsonl", TimeoutError()),
        ReadError("in.csv", TimeoutError()),
        CallExitError(SystemExit()),
        first_of([ValueError("first"), TimeoutError()]),
    ],
    ids=lambda error: type(error).__name__,
)
def test_no_error_ends_with_the_name_of_a_class_and_nothing(error):
    texts = [str(error), *getattr(error, "__notes__", ())]
    assert any("Error without a text" in text or "Exit without a text" in text for text in texts)
