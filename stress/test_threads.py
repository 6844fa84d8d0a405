# mypy: disable-error-code="no-untyped-def, no-untyped-call"
"""The models of tests/threads that take minutes in full."""

import pytest

from actors_rs.runtime import mailbox
from tests.threads.controlled import check
from tests.threads.test_mailbox import Model, each_once, tell


@pytest.mark.timeout(400)
def test_three_tellers_lose_nothing_in_any_interleaving_with_two_preemptions():
    threads = [tell(1), tell(2), tell(3)]
    check(Model, threads, each_once(1, 2, 3), mailbox, preemptions=2, seconds=300)
