# mypy: disable-error-code="no-untyped-def"
"""Log handlers that raise: they fail themselves, and nobody else."""

import logging

import pytest

from actors_rs import ActorSystem, PooledActor, Sink, Source
from actors_rs.runtime._logging import logger_called
from tests.runtime.support import DEADLINE


class Fails(PooledActor):
    def on_receive(self, message):
        raise ValueError(message)


@pytest.fixture(params=["handler", "filter"])
def raising(request):
    """Whatever is logged under ``actors_rs`` meets a handler, or a filter, that raises."""

    def refuse(record):
        raise RuntimeError(f"the {request.param} is broken")

    handler, logger = logging.Handler(logging.DEBUG), logging.getLogger("actors_rs")
    if request.param == "handler":
        handler.emit = refuse  # type: ignore[method-assign]
    else:
        handler.addFilter(refuse)
    before = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.DEBUG)
    yield
    logger.setLevel(before)
    logger.removeHandler(handler)


@pytest.mark.usefixtures("raising")
def test_who_asks_hears_of_the_failure_and_the_thread_lives_on(capsys):
    with ActorSystem(workers=1) as system:
        ref = system.spawn(Fails)
        for _ in range(3):
            with pytest.raises(ValueError, match="no"):
                ref.ask("no", timeout=DEADLINE)
        assert system.start(Source.range(0, 9).to(Sink.count())).result(DEADLINE) == 9
    assert "is broken" in capsys.readouterr().err


@pytest.mark.usefixtures("raising")
def test_a_turn_that_is_reported_as_slow_ends_as_any_other(monkeypatch, capsys):
    def judge(stage, seconds):
        stage._advise_("slow", seconds)

    monkeypatch.setattr("actors_rs.engine.member.SLOW_TURN_SECONDS", -1.0)
    monkeypatch.setattr("actors_rs.engine.island.Island._turn_was_slow_", judge)
    with ActorSystem(workers=1, window=4) as system:
        system.start(Source.range(0, 30).to(Sink.for_each(str))).result(DEADLINE)
    assert "is broken" in capsys.readouterr().err


def test_a_line_names_the_function_that_logs(caplog):
    logger_called("actors_rs.test").warning("%s tells", "it")
    (record,) = caplog.records
    assert record.funcName == "test_a_line_names_the_function_that_logs"
    assert record.getMessage() == "it tells"
