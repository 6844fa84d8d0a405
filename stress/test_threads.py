# mypy: disable-error-code="no-untyped-def, no-untyped-call"
"""The models of tests/threads that take minutes in full."""

import pytest

from actors_rs.runtime import job_queue, mailbox, workers
from tests.threads import test_pool as pools
from tests.threads.controlled import check
from tests.threads.test_mailbox import STOP, Model, each_once, tell

MINUTES = 5


@pytest.mark.timeout(400)
def test_three_tellers_and_a_stop_lose_nothing_as_far_as_five_minutes_reach() -> None:
    threads = [tell(1), tell(2), tell(3), tell(STOP)]
    check(Model, threads, each_once(1, 2, 3), mailbox, seconds=60 * MINUTES, most=20_000)


@pytest.mark.timeout(400)
def test_a_pool_that_ends_loses_nothing_as_far_as_five_minutes_reach() -> None:
    threads = [pools.submit(1), pools.submit(2), pools.Model.work, pools.Model.end]
    holds = pools.each_ran_or_was_refused(1, 2)
    check(pools.Model, threads, holds, workers, job_queue, seconds=60 * MINUTES, most=20_000)
