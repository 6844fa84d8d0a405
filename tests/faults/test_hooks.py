# mypy: disable-error-code="var-annotated, no-untyped-def"
"""Every kind of exception in every hook of an actor and of a stage: who ends, and who lives on."""

import logging
import threading
from contextlib import suppress

import pytest
from pykka import ActorDeadError

from actors_rs import ActorSystem, Sink, Source
from actors_rs.errors import StageError
from actors_rs.runtime.actors.contract import is_fatal
from actors_rs.testing.faults import (
    ACTOR_POINTS,
    KINDS,
    STAGE_POINTS,
    Faults,
    FaultyActor,
    faulty_stage,
)
from actors_rs.testing.leaks import no_leaks
from tests.graph.helpers import SECONDS, wait_until
from tests.runtime.support import Recorder


def raised_by(work):
    """What ``work`` raises, of whatever kind."""
    try:
        work()
    except BaseException as error:
        return error
    return None


def fatal(kind):
    return is_fatal(KINDS[kind](""))


def ends_its_system(kind):
    """Whether it does so from within a stage."""
    return is_fatal(KINDS[kind](""))


@pytest.fixture
def bystander():
    """An actor of another system, which must not notice anything."""
    # One thread: on a machine with much other work a second one would begin, and look like a leak.
    with ActorSystem(workers=1, max_workers=1, name="bystander") as system:
        ref = system.spawn(Recorder)
        yield ref
        assert ref.ask("alive", timeout=SECONDS) == "alive"


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("point", ACTOR_POINTS)
def test_a_fault_in_a_hook_of_an_actor_ends_no_other_system_and_answers_every_ask(
    point, kind, bystander
):
    visits = {point: 1, "on_receive": 1} if point == "on_failure" else {point: 1}
    faults, asked = Faults.at(visits, kind), []

    def work():
        with ActorSystem(workers=2, shutdown_timeout=SECONDS) as system:
            ref, other = system.spawn(FaultyActor, faults), system.spawn(Recorder)
            with suppress(ActorDeadError):
                ref.tell("told")
                asked.extend(ref.ask(n, block=False) for n in range(5))
                ref.stop(block=False)
            wait_until(lambda: not ref.is_alive())
            if not fatal(kind):
                assert other.ask("alive", timeout=SECONDS) == "alive"

    with no_leaks():
        raised = raised_by(work)
    assert faults.happened[point] == 1
    assert type(raised) is (type(KINDS[kind]("")) if fatal(kind) else type(None))
    for answer in asked:
        with suppress(ActorDeadError):
            answer.get(timeout=0)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("point", STAGE_POINTS)
def test_a_fault_in_a_hook_of_a_stage_ends_its_run_with_the_cause_and_at_most_its_system(
    point, kind, bystander
):
    faults, errors = Faults.at({point: 1}, kind), []

    def work():
        with ActorSystem(workers=2, shutdown_timeout=SECONDS) as system:
            other = system.start(Source.never().to(Sink.count()))
            source = Source.never() if point == "drain" else Source.range(0, 1000)
            run = system.start(faulty_stage(source, faults).to(Sink.count()))
            if point == "drain":
                run.drain()
            errors.append(raised_by(lambda: run.result(SECONDS)))
            if not ends_its_system(kind):
                assert not other.done()
                assert system.is_open
                other.cancel()
            else:
                errors.append(raised_by(lambda: other.result(SECONDS)))
                raise LookupError("the block would go on")

    with no_leaks():
        raised = raised_by(work)
    causes = [one.__cause__ if isinstance(one, StageError) else one for one in errors]
    assert {type(cause) for cause in causes} == {type(KINDS[kind](""))}
    assert type(raised) is (type(KINDS[kind]("")) if len(errors) == 2 else type(None))
    assert faults.happened[point] == 1


CALLBACKS = {
    "on_termination": lambda flow, f: flow.on_termination(lambda error: f(error)),
    "monitor": lambda flow, f: flow.monitor(f, every=0.001),
    "wire_tap": lambda flow, f: flow.wire_tap(Sink.for_each(f)),
    "also_to": lambda flow, f: flow.also_to(Sink.for_each(f)),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", CALLBACKS)
def test_a_fault_in_a_callback_leaves_no_run_hanging(name, kind, bystander):
    faults = Faults.at({"callback": 1}, kind)
    system = ActorSystem(workers=2, shutdown_timeout=SECONDS)

    def work():
        with system:
            call = faults.around("callback", lambda _: None)
            flow = CALLBACKS[name](Source.range(0, 1000), call)
            runs.append(system.start(flow.to(Sink.count())))
            assert runs[0].wait(SECONDS)

    runs = []
    with no_leaks():
        raised = raised_by(work)
    assert raised is None or (ends_its_system(kind) and type(raised) is type(KINDS[kind]("")))
    (run,) = runs
    error = run._end.error
    cause = error.__cause__ if isinstance(error, StageError) else error
    seen = [one.error for one in system.dead_letters.recent()]
    blamed = [cause, *(getattr(one, "__cause__", None) or one for one in seen)]
    assert faults.happened["callback"] == 1
    assert type(KINDS[kind]("")) in [type(one) for one in blamed]


@pytest.mark.parametrize("kind", KINDS)
def test_a_fault_in_what_is_called_at_the_end_of_a_run_keeps_nobody_else_waiting(kind, bystander):
    faults, called, gate = Faults.at({"when_ended": 1}, kind), threading.Event(), threading.Event()

    def work():
        with ActorSystem(workers=2, shutdown_timeout=SECONDS) as system:
            run = system.start(Source.of(1).map(lambda n: gate.wait(SECONDS) and n).to(Sink.list()))
            run.when_ended(faults.around("when_ended", called.set))
            run.when_ended(called.set)
            gate.set()
            assert run.result(SECONDS) == [1]
            assert called.wait(SECONDS)
            (letter,) = system.dead_letters.recent()
            assert type(letter.error) is type(KINDS[kind](""))
            assert "called at the end of the run" in letter.why

    with no_leaks():
        raised = raised_by(work)
    assert type(raised) is (type(KINDS[kind]("")) if fatal(kind) else type(None))


class Broken(logging.Handler):
    """A log handler that raises."""

    def emit(self, record):
        raise OSError("disk full")


@pytest.fixture
def broken_log():
    logger, handler = logging.getLogger("actors_rs"), Broken()
    logger.addHandler(handler)
    yield
    logger.removeHandler(handler)


def test_a_log_that_raises_keeps_no_actor_from_ending_and_no_run(broken_log, capsys):
    with no_leaks(), ActorSystem(workers=2, shutdown_timeout=SECONDS) as system:
        ref = system.spawn(Recorder)
        ref.tell(ValueError("mine"))
        wait_until(lambda: not ref.is_alive())
        flow = Source.range(0, 4).map(lambda n: 1 // (n - 2)).on_failure("resume")
        assert system.start(flow.to(Sink.count())).result(SECONDS) == 3
        said = {one.why for one in system.dead_letters.recent()}
    assert "a dead letter could not be logged" in said
    assert "disk full" in capsys.readouterr().err
