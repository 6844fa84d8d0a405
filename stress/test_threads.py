# mypy: disable-error-code="no-untyped-def, no-untyped-call"
"""The models of tests/threads with more threads or without a bound: each to its last order."""

import pytest

from actors_rs.runtime.actors import mailbox
from actors_rs.runtime.actors.mailbox import Mailbox
from tests.threads import test_pool as pools
from tests.threads.bounded import Found, check_all
from tests.threads.test_mailbox import STOP, Model, each_once, tell

pytestmark = pytest.mark.timeout(1_800)


def tellers_and_a_stop(count: int, preemptions: int | None = None) -> Found:
    messages = range(1, count + 1)
    threads = [*map(tell, messages), tell(STOP)]
    return check_all(
        Model, threads, each_once(*messages), mailbox,
        shared=(Mailbox,), preemptions=preemptions, alike=range(count),
    )  # fmt: skip


def test_three_tellers_and_a_stop_lose_nothing_in_any_order() -> None:
    assert tellers_and_a_stop(3).runs > 1_000


def test_four_tellers_and_a_stop_lose_nothing_with_two_preemptions() -> None:
    assert tellers_and_a_stop(4, preemptions=2).runs > 1_000


def test_a_pool_that_ends_loses_no_job_in_any_order() -> None:
    threads = [pools.submit(1), pools.Model.work, pools.Model.end]
    assert pools.checked(pools.Model, threads, pools.each_ran_or_was_refused(1)).runs > 1_000


def test_a_pool_that_ends_loses_none_of_two_jobs_with_three_preemptions() -> None:
    threads = [pools.submit(1), pools.submit(2), pools.Model.work, pools.Model.end]
    holds = pools.each_ran_or_was_refused(1, 2)
    assert pools.checked(pools.Model, threads, holds, preemptions=3, alike=(0, 1)).runs > 1_000


def test_turns_run_once_until_their_dispatcher_ends_with_two_preemptions() -> None:
    pool = pools.Dispatching
    threads = [pools.submit(1), pools.submit(2), pool.work, pool.end]
    holds = pools.each_ran_once_or_waits(1, 2)
    assert pools.checked(pool, threads, holds, preemptions=2, alike=(0, 1)).runs > 1_000
