"""Decisions: who chooses, what is remembered, and that the same seed chooses the same."""

from itertools import pairwise

import pytest

from actors_rs.errors import ArgumentTypeError, InvalidArgumentError
from actors_rs.testing.decisions import Choice, Decisions, Pct, RandomWalk, Replay, Scripted
from actors_rs.testing.explore import Trace


class Option:
    def __init__(self, name):
        self.name = name


ACTORS = [Option(name) for name in "abcd"]


def orders(decisions, steps=40):
    return [decisions.choose("order", ACTORS).name for _ in range(steps)]


def test_the_dull_option_is_the_first():
    decisions = Decisions()
    assert [decisions.choose("order", "xyz") for _ in range(3)] == ["x", "x", "x"]
    assert decisions.deviations == {}


def test_of_a_single_option_nothing_is_remembered():
    decisions = RandomWalk(1)
    assert decisions.choose("order", ["only"]) == "only"
    assert decisions.made == []


def test_no_option_is_an_error_that_names_the_decision():
    with pytest.raises(InvalidArgumentError, match="'data:colour' needs at least one option"):
        Decisions().choose("data:colour", [])


@pytest.mark.parametrize("kind", [RandomWalk, Pct])
def test_the_same_seed_chooses_the_same_and_another_one_does_not(kind):
    assert orders(kind(7)) == orders(kind(7))
    assert len({tuple(orders(kind(seed))) for seed in range(20)}) > 5


def test_seeds_may_be_negative_and_large():
    assert orders(RandomWalk(-7)) == orders(RandomWalk(-7)) != orders(RandomWalk(7))
    assert orders(RandomWalk(2**80))


def test_a_random_walk_takes_every_option():
    assert set(orders(RandomWalk(3), 200)) == set("abcd")


def test_streams_do_not_disturb_each_other():
    disturbed, quiet = RandomWalk(5), RandomWalk(5)
    seen = []
    for _ in range(20):
        disturbed.choose("fault:disk", (False, True))
        disturbed.choose("data:n", range(9))
        seen.append(disturbed.choose("order", ACTORS).name)
    assert seen == orders(quiet, 20)


def test_faults_come_as_often_as_asked_for():
    def faults(rate):
        decisions = RandomWalk(1, fault_rate=rate)
        return sum(decisions.choose("fault:x", (False, True)) for _ in range(1000))

    assert faults(0.0) == 0
    assert faults(1.0) == 1000
    assert 50 < faults(0.1) < 200


@pytest.mark.parametrize("rate", [-0.1, 1.1])
def test_a_fault_rate_outside_of_0_to_1_is_an_error(rate):
    with pytest.raises(InvalidArgumentError, match="fault_rate must be a rate from 0 to 1"):
        RandomWalk(1, fault_rate=rate)


def test_a_seed_that_is_no_int_is_an_error():
    with pytest.raises(ArgumentTypeError, match="seed must be an int, got '1'"):
        RandomWalk("1")  # type: ignore[arg-type]


def test_pct_runs_the_same_one_until_its_priority_falls():
    seen = orders(Pct(2, depth=1))
    assert len(set(seen)) == 1
    changes = [sum(a != b for a, b in pairwise(s)) for s in map(pct_of, range(50))]
    assert max(changes) == 2


def pct_of(seed):
    return orders(Pct(seed, depth=3, length=40))


def test_pct_needs_a_depth_of_at_least_1():
    with pytest.raises(InvalidArgumentError, match="depth must be at least 1, got 0"):
        Pct(1, depth=0)


@pytest.mark.parametrize(
    ("length", "said"),
    [
        (0, "length must be at least 1, got 0"),
        (-5, "length must be at least 1, got -5"),
        ("x", "length must be an int, got 'x'"),
    ],
)
def test_pct_needs_a_length_of_at_least_1(length, said):
    with pytest.raises(InvalidArgumentError, match=said):
        Pct(1, length=length)


def test_what_was_chosen_can_be_replayed():
    first = RandomWalk(11)
    seen = orders(first)
    assert orders(Replay(first.deviations)) == seen
    assert orders(Scripted(first.deviations)) == seen
    assert first.made[0] == Choice("order", 4, "abcd".index(seen[0]))


def test_a_replay_names_the_decision_that_is_another_one():
    with pytest.raises(InvalidArgumentError, match=r"decision 0 takes option 9, here .* 'order'"):
        Replay({0: 9}).choose("order", ACTORS)


def test_a_replay_takes_a_trace_as_it_is():
    first = RandomWalk(11)
    seen = orders(first)
    trace = Trace.parse(str(Trace("1f2e3d4c", first.deviations)))
    assert orders(Replay(trace)) == orders(Replay(first)) == seen


@pytest.mark.parametrize(
    ("trace", "said"),
    [
        ("v1:1f2e3d4c:3=1", r"Replay needs a trace, such as Trace.parse\(word\) gives, got 'v1:1f"),
        ([1, 2], r"Replay needs a trace, .* got \[1, 2\]"),
        ({"a": 1}, "what a trace holds must be an int, got 'a'"),
        ({0: "x"}, "what a trace holds must be an int, got 'x'"),
        ({0: -1}, "what a trace holds must be 0 or more, got -1"),
    ],
)
def test_what_is_no_trace_is_refused(trace, said):
    with pytest.raises(InvalidArgumentError, match=said):
        Replay(trace)


def test_a_script_makes_do_with_the_options_there_are():
    assert Scripted({0: 9}).choose("order", ACTORS).name == "d"
