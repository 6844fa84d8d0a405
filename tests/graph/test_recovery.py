# mypy: disable-error-code="var-annotated,union-attr"
"""What becomes of errors in graphs: recovered from, mapped, retried."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import pytest
from hypothesis import given

from actors_rs import RateLimit, Sink, Source
from actors_rs.errors import DeciderError, StageError
from actors_rs.runtime.supervision.backoff import Backoff
from tests.graph.helpers import SECONDS
from tests.graph.models import check_operator, quick, trials

SOON = Backoff(initial=0, maximum=0)


def again(error):
    raise error


RECOVERING = {
    "recover": lambda s: s.recover(again),
    "recover_with": lambda s: s.recover_with(again),
    "map_error": lambda s: s.map_error(lambda error: error),
}


@pytest.mark.parametrize("operator", RECOVERING.values(), ids=RECOVERING.keys())
@quick
@given(trial=trials())
def test_a_stage_that_deals_with_no_error_changes_nothing(shared, operator, trial):
    check_operator(shared, operator, list, trial)


def broken(behind):
    def f(x):
        if x == behind:
            raise ValueError(x)
        return x

    return Source.range(0, 10).map(f)


def result(system, flow):
    return system.start(flow.to(Sink.list())).result(SECONDS)


def test_a_recovered_stream_is_no_failure_of_its_run(shared):
    assert result(shared, broken(2).recover(lambda e: repr(e.__cause__))) == [0, 1, "ValueError(2)"]


def test_a_stream_goes_on_with_another_as_often_as_was_said(shared):
    assert result(shared, broken(2).recover_with(Source.of(7))) == [0, 1, 7]
    assert result(shared, broken(1).recover_with(broken(2), 3).recover(lambda _: "x")) == [
        0, 0, 1, 0, 1, 0, 1, "x",
    ]  # fmt: skip


def test_the_other_stream_may_depend_on_the_error(shared):
    flow = broken(2).recover_with(lambda e: Source.of(str(e.__cause__)))
    assert result(shared, flow) == [0, 1, "2"]


def test_the_failure_behind_the_last_attempt_is_the_runs(shared):
    with pytest.raises(StageError) as caught:
        result(shared, broken(2).recover_with(broken(4), 2))
    assert (caught.value.position, str(caught.value.__cause__)) == (4, "4")
    assert caught.value.others == ()


def test_a_mapped_error_is_the_runs_with_the_first_as_its_cause(shared):
    with pytest.raises(LookupError, match="mapped") as caught:
        result(shared, broken(2).map_error(lambda _: LookupError("mapped")))
    assert isinstance(caught.value.__cause__, StageError)


class Flaky:
    """Fails at every call whose number is no multiple of three."""

    def __init__(self):
        self.calls, self.lock = 0, threading.Lock()

    def __call__(self, x):
        with self.lock:
            self.calls += 1
            calls = self.calls
        if calls % 3:
            raise OSError("try again")
        return x

    async def later(self, x):
        await asyncio.sleep(0)
        return self(x)


@pytest.mark.parametrize("ordered", [True, False])
@pytest.mark.parametrize("kind", ["threads", "executor", "coroutine"])
def test_what_fails_now_and_then_is_done_in_the_end_each_element_once(shared, kind, ordered):
    flaky = Flaky()
    f = flaky.later if kind == "coroutine" else flaky
    with ThreadPoolExecutor(2) as pool:
        flow = Source.range(0, 12).map_async(
            f, 6, ordered, executor=pool if kind == "executor" else None
        )
        got = result(shared, flow.retry(SOON, max_attempts=40).named("calls"))
    assert (got if ordered else sorted(got)) == list(range(12))
    assert flaky.calls == 36


def test_an_element_that_fails_every_time_fails_the_stage_or_is_passed_over(shared):
    def f(x):
        if x == 2:
            raise OSError("never")
        return x

    flow = Source.range(0, 5).map_async(f, 2).retry(SOON, max_attempts=2)
    with pytest.raises(StageError) as caught:
        result(shared, flow)
    assert caught.value.position == 2
    assert caught.value.__cause__.__notes__ == ["that was call 2 of 2"]
    assert result(shared, flow.on_failure("resume")) == [0, 1, 3, 4]


@dataclass(frozen=True)
class FrozenError(Exception):
    """It refuses attributes."""

    code: int


def test_an_error_that_refuses_attributes_can_be_retried_and_is_told_which_attempt_it_was(shared):
    def f(x):
        if x == 1:
            raise FrozenError(x)
        return x

    flow = Source.range(0, 4).map_async(f, 2).retry(SOON, max_attempts=2)
    with pytest.raises(StageError, match="'map_async' failed at element 1: FrozenError") as caught:
        result(shared, flow)
    assert caught.value.__cause__ == FrozenError(1)
    assert caught.value.__cause__.__notes__ == ["that was call 2 of 2"]
    assert result(shared, flow.on_failure("resume")) == [0, 2, 3]


def test_one_error_that_is_raised_for_each_element_is_told_the_same_once(shared):
    error = OSError("down")

    def f(x):
        raise error

    flow = Source.range(0, 20).map_async(f, 2).retry(SOON, max_attempts=2)
    assert result(shared, flow.on_failure("resume")) == []
    assert [note for note in error.__notes__ if "call" in note] == ["that was call 2 of 2"]


def test_a_used_up_budget_lets_elements_fail_at_once(shared):
    flaky = Flaky()
    flow = Source.range(0, 5).map_async(flaky, 1).on_failure("resume")
    budget = RateLimit(1, per=1000, burst=2)
    done = result(shared, flow.retry(SOON, max_attempts=9, budget=budget))
    assert (flaky.calls, len(done)) == (7, 2), "two calls beyond one for each; every third works"


def test_an_element_beyond_the_budget_says_so_in_its_error_and_its_dead_letter(shared):
    def f(x):
        raise OSError("down")

    budget = RateLimit(1, per=1000, burst=1)
    flow = Source.of(1).map_async(f, 1).retry(SOON, max_attempts=5, budget=budget)
    with pytest.raises(
        StageError, match=r"OSError: down \(that was call 2 of 5; not repeated, since"
    ):
        result(shared, flow)
    said = "that was call 1 of 5; not repeated, since the budget of repeated calls was used up"
    assert result(shared, flow.on_failure("resume")) == []
    assert said in str(shared.dead_letters.recent()[-1].error)


def test_a_blueprint_with_retries_can_run_twice(shared):
    flow = Source.range(0, 3).map_async(Flaky(), 1).retry(SOON, max_attempts=40)
    assert [result(shared, flow) for _ in range(2)] == [[0, 1, 2]] * 2


def test_an_error_that_is_raised_again_is_not_recovered_from_and_not_wrapped(shared):
    with pytest.raises(StageError, match="'map'") as caught:
        result(shared, broken(2).recover_with(again, 5))
    assert caught.value.others == ()


@pytest.mark.parametrize("policy", ["stop", "resume"])
def test_a_retry_that_cannot_tell_fails_with_the_error_it_was_asked_about(shared, policy):
    flow = Source.of(2, 0, 1).map_async(lambda n: 1 // n, 1).retry(SOON, when=lambda e: e.args[1])
    with pytest.raises(StageError, match="'map_async' failed at element 1: ZeroDivision") as caught:
        result(shared, flow.on_failure(policy))
    (beside,) = caught.value.others
    assert isinstance(beside, DeciderError)
    assert "retry: when raised IndexError" in str(beside)


def test_an_error_of_the_function_of_recover_is_a_note_of_the_error_that_it_was_given():
    def wrong(error):
        raise KeyError("a bug")

    with pytest.raises(StageError, match="stage 'map' failed") as caught:
        Source.of("x").map(int).recover(wrong).run(Sink.list())
    assert isinstance(caught.value.__cause__, ValueError)
    assert "stage 'recover' failed: KeyError: 'a bug'" in caught.value.__notes__[0]
