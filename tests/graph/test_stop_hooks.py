# mypy: disable-error-code="arg-type, var-annotated"
"""What no restart cures ends its system, also where a stage raises it while it is stopped."""

import pytest

from actors_rs import ActorSystem, Flow, Sink, Source
from actors_rs.errors import StageError
from tests.graph.helpers import SECONDS, leaves_by


class Rude:
    """Numbers without an end; to close them raises ``error``."""

    def __init__(self, error):
        self.error = error

    def __iter__(self):
        return self

    def __next__(self):
        return 1

    def close(self):
        raise self.error


def stopping(error):
    """The function of ``on_termination``."""

    def stop(_):
        raise error

    return stop


def rude(error):
    return Source.from_iterable(Rude(error))


def short(error):
    return rude(error).map(abs).take(1).fuse()


STOPPED = {
    "on_termination": lambda e: Source.of(1).on_termination(stopping(e)),
    "an iterator": lambda e: rude(e).take(1),
    "an iterator of flat_map": lambda e: Source.of(1).flat_map(lambda _: Rude(e)).take(1),
    "an iterator of expand": lambda e: Source.of(1).expand(lambda _: Rude(e)).take(1),
    "in a row": lambda e: rude(e).map(abs).fuse().take(1),
    "an inline stream": lambda e: Source.of(1).flat_map(lambda _: rude(e)).take(1),
    "a stream within its host": lambda e: Source.of(1).via(
        Flow().flat_map(lambda _: short(e)).restart(max_restarts=0)
    ),
}


@pytest.mark.parametrize("kind", [SystemExit, KeyboardInterrupt, MemoryError])
@pytest.mark.parametrize("make", STOPPED.values(), ids=STOPPED.keys())
def test_what_no_restart_cures_ends_its_system_when_a_stage_raises_it_at_its_end(kind, make):
    leaves_by(kind, make(kind("leave")).to(Sink.list()))


@pytest.mark.parametrize("make", STOPPED.values(), ids=STOPPED.keys())
def test_any_other_error_at_the_end_of_a_stage_fails_its_run_alone(make):
    with ActorSystem(shutdown_timeout=SECONDS) as own:
        with pytest.raises(StageError, match="failed: OSError: closed"):
            own.start(make(OSError("closed")).to(Sink.list())).result(SECONDS)
        assert own.start(Source.of(1).to(Sink.list())).result(SECONDS) == [1]
