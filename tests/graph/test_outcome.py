# mypy: disable-error-code="arg-type, assignment, attr-defined, misc, return-value"
"""What came of several failures of one run, whatever the methods of the user's exceptions do."""

import asyncio

import pytest

from actors_rs import ActorSystem, Graph, KillSwitch, Sink, Source
from actors_rs.engine.run.result import MOST_NOTES, first_of
from actors_rs.errors import InvalidArgumentError, StageError, StreamError
from tests.graph.helpers import SECONDS, run

broken = Source.of(0).map(lambda n: 1 // n)


def notes_of(graph):
    """Those of what ``graph`` fails with, the same however often its run is asked."""
    with ActorSystem(shutdown_timeout=SECONDS) as system:
        going = system.start(graph)
        with pytest.raises(StageError, match="stage 'map' failed at element 0") as caught:
            going.result(SECONDS)
        with pytest.raises(StageError):
            going.result(SECONDS)
    return caught.value.__notes__


@pytest.mark.parametrize(
    ("flow", "mistake"),
    [
        (broken.recover(lambda: 1), "stage 'recover' failed: TypeError: .* takes 0 positional"),
        (broken.recover_with(lambda _: 1), "stage 'recover_with' failed: TypeError: an inner"),
        (broken.catch(lambda: 1), "stage 'catch' failed: TypeError: .* takes 0 positional"),
        (broken.map_error(lambda _: 1), "stage 'map_error' failed: TypeError: map_error: f must"),
        (broken.on_termination(lambda: 1), "stage 'on_termination' failed: TypeError: .* takes 0"),
        (broken.on_failure(decider=lambda: 1), "DeciderError: a decider raised TypeError"),
    ],
)
def test_a_mistake_in_what_deals_with_a_failure_is_a_note_of_that_failure(flow, mistake):
    (note,) = notes_of(flow.to(Sink.list()))
    with pytest.raises(AssertionError, match=f"^also: .*{mistake}"):
        raise AssertionError(note)


def test_a_failure_without_others_has_no_notes():
    with pytest.raises(StageError) as caught:
        run(broken.to(Sink.list()))
    assert not hasattr(caught.value, "__notes__")


def test_a_handful_of_further_failures_are_notes_and_all_are_among_the_others():
    failures = [KeyError(n) for n in range(MOST_NOTES + 3)]
    first = first_of(failures)
    assert first is failures[0]
    assert first.others == tuple(failures[1:])
    *told, more = first.__notes__
    assert told == [f"also: KeyError: {n}" for n in range(1, MOST_NOTES + 1)]
    assert more == "also: 2 more, see its others"


def test_an_exception_that_fails_several_runs_is_told_the_same_once():
    failures = [OSError("first"), KeyError(1)]
    for _ in range(3):
        first_of(failures)
    assert failures[0].__notes__ == ["also: KeyError: 1"]


class NothingCanBeSet(Exception):  # noqa: N818 - says what it does
    def __setattr__(self, name, value):
        raise RuntimeError(name)


class SettingLeaves(Exception):  # noqa: N818
    def __setattr__(self, name, value):
        raise SystemExit(name)


class OthersOfItsOwn(Exception):  # noqa: N818
    @property
    def others(self):
        raise RuntimeError("others")


class EqualToNothing(Exception):  # noqa: N818
    __hash__ = None

    def __eq__(self, other):
        raise RuntimeError("eq")


class NoText(Exception):  # noqa: N818
    def __str__(self):
        raise SystemExit("no text")

    __repr__ = __str__


class NeitherTrueNorFalse(Exception):  # noqa: N818
    def __bool__(self):
        raise RuntimeError("bool")


class NoNotes(Exception):  # noqa: N818
    def add_note(self, note):
        raise RuntimeError(note)


HOSTILE = [
    NothingCanBeSet,
    SettingLeaves,
    OthersOfItsOwn,
    EqualToNothing,
    NoText,
    NeitherTrueNorFalse,
    NoNotes,
]


def failed(system, error):
    return system.start(Source.failed(error).to(Sink.list()))


def failed_with_others(system, error):
    sinks = [Source.failed(one).to(Sink.list()) for one in (error, KeyError(1))]
    return system.start(Graph(*sinks))


def failed_in_a_hook(system, error):
    def hook(_):
        raise error

    return system.start(Source.failed(error).on_termination(hook).to(Sink.list()))


def aborted(system, error):
    run = system.start(Source.never().to(Sink.list()))
    run.abort(error)
    return run


def killed(system, error):
    switch = KillSwitch()
    run = system.start(Source.never().kill_switch(switch).to(Sink.list()))
    switch.abort(error)
    return run


def handed_in(system, error):
    run = system.start(Source.queue(1).to(Sink.list()))
    run.queue().fail(error)
    return run


def failure_of(run):
    """Its kind; pytest would look at what it catches."""
    try:
        run.result(SECONDS)
    except BaseException as error:
        return type(error)


@pytest.mark.parametrize("kind", HOSTILE)
@pytest.mark.parametrize(
    "fail", [failed, failed_with_others, failed_in_a_hook, aborted, killed, handed_in]
)
def test_nothing_that_an_exception_does_keeps_its_run_from_ending(fail, kind):
    error = kind("mine")
    with ActorSystem(shutdown_timeout=SECONDS) as system:
        ending = fail(system, error)
        assert ending.wait(SECONDS)
        assert ending.state == "failed"
        assert failure_of(ending) in (kind, KeyError, StageError)


class StopsWithoutText(StopIteration):
    def __repr__(self):
        raise RuntimeError("no text")

    __str__ = __repr__


def test_whoever_awaits_a_run_is_told_of_its_end_though_the_exception_has_no_text():
    async def results(run):
        with pytest.raises(StreamError, match="which no coroutine can raise"):
            await asyncio.wait_for(run, SECONDS)

    with ActorSystem(shutdown_timeout=SECONDS) as system:
        run = aborted(system, StopsWithoutText())
        asyncio.run(results(run))


@pytest.mark.parametrize("error", [TimeoutError, None, "x"])
@pytest.mark.parametrize("what", ["Run.abort", "KillSwitch.abort", "queue 'queue': fail"])
def test_what_is_no_exception_ends_nothing_and_is_refused_in_a_sentence(what, error):
    with ActorSystem(shutdown_timeout=SECONDS) as system:
        switch = KillSwitch()
        run = system.start(Source.queue(1).kill_switch(switch).to(Sink.list()))
        ways = {
            "Run.abort": run.abort,
            "KillSwitch.abort": switch.abort,
            "queue 'queue': fail": run.queue().fail,
        }
        with pytest.raises(InvalidArgumentError, match=f"^{what} needs an exception, got "):
            ways[what](error)
        run.queue().put(1)
        run.queue().complete()
        assert run.result(SECONDS) == [1]
