# mypy: disable-error-code="no-untyped-call"
"""Supervision and death watch under load: nothing doubled, nothing lost, nobody restarted idly."""

from __future__ import annotations

import random
import threading
from contextlib import suppress
from typing import Any

import pytest
from pykka import ActorDeadError

from actors_rs import ActorSystem, ChildSpec, OneForAll, OneForOne, RestForOne, Supervisor
from tests.runtime.family import SOON, Noting, noting
from tests.runtime.support import eventually, in_threads, no_thread_left
from tests.runtime.watching import race_watch_and_stop


@pytest.mark.timeout(300)
def test_100_000_watches_that_race_the_end_of_the_watched_give_one_notice_each() -> None:
    assert race_watch_and_stop(100_000, together=1_000) == 100_000


@pytest.mark.timeout(300)
def test_of_10_000_children_one_in_a_hundred_fails_and_only_those_are_restarted() -> None:
    count, dice = 10_000, random.Random(7)
    notes: list[tuple[str, int]] = []
    before = threading.active_count()
    with no_thread_left(), ActorSystem() as system:
        specs = [ChildSpec(Noting, (n, notes), restart="transient") for n in range(count)]
        top = system.supervise(Supervisor(OneForOne(backoff=SOON), specs))
        refs = list(top.children().values())
        unlucky = sorted(dice.sample(range(count), count // 100))
        most = 0
        for number in unlucky:
            refs[number].tell(ValueError("by chance"))
            most = max(most, threading.active_count())
        eventually(lambda: sum(what == "start" for what, _ in notes) == count + len(unlucky))
        answers = [ref.ask("x", block=False) for ref in refs]
        assert all(answer.get(timeout=60) == 1 for answer in answers)
        assert max(most, threading.active_count()) < before + 16
        for ref in refs:
            ref.stop(block=False)
        eventually(lambda: not top.children())
    assert sorted(n for what, n in notes if what == "fail") == unlucky
    assert sorted(n for what, n in notes if what == "stop") == list(range(count))


@pytest.mark.timeout(300)
@pytest.mark.parametrize("strategy", [OneForOne, OneForAll, RestForOne])
def test_random_failures_from_several_threads_restart_who_they_must_and_lose_no_message(
    strategy: Any,
) -> None:
    names = "abcdef"
    for seed in range(60):
        notes: list[tuple[str, str]] = []
        rule = strategy(max_restarts=100, backoff=SOON)
        with ActorSystem(workers=4) as system:
            top = system.supervise(Supervisor(rule, noting(names, notes)))
            for name in names:  # one that has not begun when another fails begins once, behind it
                top.child(name).ask("first", timeout=60)
            failing = random.Random(seed).choices(names, k=3)
            answers: list[Any] = []

            def fail(
                n: int, top: Any = top, failing: Any = failing, answers: Any = answers
            ) -> None:
                ref = top.child(failing[n])
                answers.append(ref.ask("before", block=False))
                ref.tell(ValueError("by chance"))
                answers.append(ref.ask("behind", block=False))

            in_threads(3, fail)
            for answer in answers:
                answer.get(timeout=60)
            for name in names:
                top.child(name).ask("last", timeout=60)
        touched = {name for what, name in notes if what == "fail"}
        assert touched == set(failing)
        restarted = {name for name in names if notes.count(("start", name)) > 1}
        assert restarted == set(rule.affected(names, touched))
        ends = sum(what in ("stop", "fail") for what, _ in notes)
        assert ends == sum(what == "start" for what, _ in notes)


@pytest.mark.timeout(300)
def test_asks_that_race_restarts_and_the_end_of_a_child_are_all_answered() -> None:
    for _ in range(200):
        notes: list[tuple[str, str]] = []
        answers: list[Any] = []
        with ActorSystem(workers=2) as system:
            rule = OneForOne(max_restarts=100, backoff=SOON)
            top = system.supervise(Supervisor(rule, noting("a", notes)))
            ref = top.child("a")

            def race(n: int, top: Any = top, ref: Any = ref, answers: Any = answers) -> None:
                if n == 0:
                    ref.tell(ValueError("by chance"))
                    top.stop_child("a", block=False)
                else:
                    answers.extend(ref.ask("x", block=False) for _ in range(100))

            in_threads(3, race)
        for answer in answers:
            with suppress(ActorDeadError):
                assert answer.get(timeout=0) >= 1
