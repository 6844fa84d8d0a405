# mypy: disable-error-code="no-untyped-def, override"
"""What a block of the stress suite says of a mailbox beyond its bound, and of a failure."""

from concurrent.futures import Executor, Future

import pytest

from actors_rs import ActorSystem, Sink, Source
from actors_rs.runtime.actors.actor import PooledActor
from actors_rs.runtime.actors.mailbox import Mailbox
from stress import stalls
from stress.stalls import written_down
from stress.test_planted import floods
from stress.yields import BESIDES, injected, recorded

BLOCKS = {"recorded": recorded, "injected": lambda: injected(0.02, 1)}


def run_three_stages():
    with ActorSystem(workers=1, window=4) as system:
        graph = Source.range(0, 20).map(abs).to(Sink.count())
        assert system.start(graph).result(30) == 20


@pytest.mark.parametrize("block", BLOCKS)
def test_a_mailbox_of_a_stage_beyond_its_bound_fails_the_block(block, monkeypatch):
    floods(monkeypatch)
    with pytest.raises(AssertionError, match=r"mailbox of 'map' holds .* at most"):
        with BLOCKS[block]():
            run_three_stages()


@pytest.mark.parametrize("block", BLOCKS)
def test_mailboxes_within_their_bounds_do_not_and_the_runtime_is_as_it_was(block):
    before = dict(vars(Mailbox)), dict(vars(PooledActor))
    with BLOCKS[block]() as flight:
        run_three_stages()
    assert flight.signals
    assert (dict(vars(Mailbox)), dict(vars(PooledActor))) == before


class AllAtOnce(Executor):
    """No call has ended before the last of ``count`` is made; that is in a turn of its stage."""

    def __init__(self, count):
        self.count = count
        self.made = []

    def submit(self, f, /, *args):
        self.made.append((Future(), f(*args)))
        if len(self.made) == self.count:
            for future, value in self.made:
                future.set_result(value)
        return self.made[-1][0]


def test_the_calls_that_a_parallelism_allows_may_all_end_in_one_turn():
    count = 4 * BESIDES
    with recorded() as flight, ActorSystem(workers=1, window=count) as system:
        flow = Source.range(0, count).map_async(abs, count, executor=AllAtOnce(count))
        assert system.start(flow.to(Sink.count())).result(30) == count
    assert not flight.too_full


def fail_beside_a_run(flight):
    with ActorSystem(workers=1) as system, written_down(system, "it/stands still", flight):
        system.start(Source.never().map(abs).to(Sink.count()))
        for stage in system.children():
            stage.actor_ref.tell("noted")
        raise LookupError("as planned")


def test_a_failing_block_leaves_a_file_with_its_mailboxes_and_the_last_signals(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(stalls, "FOLDER", tmp_path)
    with pytest.raises(LookupError, match="as planned") as caught, recorded() as flight:
        fail_beside_a_run(flight)
    (path,) = tmp_path.iterdir()
    assert str(path) in "\n".join(caught.value.__notes__)
    text = path.read_text("utf-8")
    assert text.startswith("it/stands still\n")
    assert "stage 'map': MailboxStatistics" in text
    assert "-> 'map': str" in text
    assert "thread MainThread:" in text


def test_a_block_that_does_not_fail_leaves_none(tmp_path, monkeypatch):
    monkeypatch.setattr(stalls, "FOLDER", tmp_path / "made when needed")
    with recorded() as flight, ActorSystem(workers=1) as system:
        with written_down(system, "fine", flight):
            pass
    assert not list(tmp_path.iterdir())
