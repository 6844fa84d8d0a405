# mypy: disable-error-code="var-annotated, misc"
"""Units, scopes and tokens: when a unit is gathered, when it is settled, and that it is so once."""

import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors_rs.delivery.ack import Disposition, Fork, Unit
from actors_rs.errors import DefectError


class Heard:
    """What a unit and its scopes said, in order."""

    def __init__(self):
        self.said = []

    def unit(self, key="u"):
        return Unit(key, lambda outcomes: self.said.append(dict(outcomes)))


@pytest.fixture
def heard():
    return Heard()


def test_a_unit_is_settled_once_when_it_is_sealed_and_every_token_is_settled(heard):
    unit = heard.unit()
    first, second = unit.track("a"), unit.track("b")
    first.token.settle(Disposition.DELIVERED)
    unit.seal()
    assert heard.said == []
    second.token.settle(Disposition.FILTERED)
    assert heard.said == [{Disposition.DELIVERED: 1, Disposition.FILTERED: 1}]


def test_a_unit_whose_tokens_are_all_settled_waits_for_its_seal(heard):
    unit = heard.unit()
    unit.track("a").token.settle(Disposition.DELIVERED)
    assert heard.said == []
    unit.seal()
    assert heard.said == [{Disposition.DELIVERED: 1}]


def test_an_empty_unit_is_settled_when_it_is_sealed(heard):
    heard.unit().seal()
    assert heard.said == [{}]


def test_a_token_that_is_dropped_leaves_its_unit_unsettled(heard):
    unit = heard.unit()
    unit.track("a")
    unit.seal()
    assert heard.said == []


def test_a_token_is_settled_once(heard):
    token = heard.unit().track("a").token
    token.settle(Disposition.DELIVERED)
    for again in (lambda: token.settle(Disposition.DELIVERED), token.park, token.sibling):
        with pytest.raises(DefectError, match="settled"):
            again()


def test_an_element_that_becomes_several_is_settled_when_all_of_them_are(heard):
    unit = heard.unit()
    token = unit.track("a").token
    unit.seal()
    parts = [token.sibling(), token.sibling()]
    token.settle(None)
    parts[0].settle(Disposition.DELIVERED)
    assert heard.said == []
    parts[1].settle(Disposition.DEAD_LETTERED)
    assert heard.said == [{Disposition.DELIVERED: 1, Disposition.DEAD_LETTERED: 1}]


def test_a_scope_is_gathered_when_it_is_sealed_and_all_that_is_open_is_parked(heard):
    unit = heard.unit()
    here, under_way = unit.track("a").token, unit.track("b").token
    here.park()
    unit.scope.when_gathered(lambda: heard.said.append("gathered"))
    unit.seal()
    assert heard.said == []
    under_way.settle(Disposition.FILTERED)
    assert heard.said == ["gathered"]
    here.settle(Disposition.DELIVERED)
    assert heard.said == ["gathered", {Disposition.DELIVERED: 1, Disposition.FILTERED: 1}]


def test_each_of_two_sinks_that_share_a_scope_hears_that_it_is_gathered(heard):
    unit = heard.unit()
    tokens = [unit.track(n).token for n in range(2)]
    for name, token in zip("ab", tokens, strict=True):
        unit.scope.when_gathered(lambda name=name: heard.said.append(name))
        token.park()
    unit.seal()
    assert heard.said == ["a", "b"]


def test_branches_gather_by_themselves_and_the_unit_is_settled_behind_the_last(heard):
    unit = heard.unit()
    fork = Fork(unit.scope, 2)
    branches = fork.branches
    parts = [share for n in range(2) for share in fork.split(unit.track(n).token)]
    for number, branch in enumerate(branches):
        branch.when_gathered(lambda number=number: heard.said.append(number))
    for part in parts[0::2]:
        part.park()
    parts[1].park()
    unit.seal()
    assert heard.said == [0], "branch 0 holds all of its shares, branch 1 does not yet"
    for part in parts[0::2]:
        part.settle(Disposition.DELIVERED)
    assert heard.said == [0]
    parts[3].settle(Disposition.FILTERED)
    assert heard.said == [0, 1]
    parts[1].settle(Disposition.DELIVERED)
    assert heard.said[2:] == [{Disposition.DELIVERED: 3, Disposition.FILTERED: 1}]


def test_an_abandoned_unit_tells_every_branch_once_and_is_never_settled(heard):
    unit = heard.unit()
    fork = Fork(unit.scope, 2)
    parts = fork.split(unit.track("a").token)
    for number, branch in enumerate(fork.branches):
        branch.when_gathered(lambda number=number: heard.said.append(number))
        parts[number].park()
    unit.abandon()
    assert heard.said == [0, 1]
    unit.seal()
    for part in parts:
        part.settle(Disposition.DELIVERED)
    unit.scope.when_gathered(lambda: heard.said.append("late"))
    assert heard.said == [0, 1, "late"]


@given(st.lists(st.sampled_from(["settle", "park", "split"]), max_size=40), st.integers(0, 40))
def test_whatever_becomes_of_its_tokens_a_unit_is_settled_exactly_once(steps, sealed_at):
    heard = Heard()
    unit = heard.unit()
    held, parked = [unit.track(n).token for n in range(5)], []
    unit.scope.when_gathered(lambda: [token.settle(Disposition.DELIVERED) for token in parked])
    for number, step in enumerate(steps):
        if number == sealed_at:
            unit.seal()
        if held and step == "split":
            held.append(held[0].sibling())
        elif held and step == "park":
            parked.append(held.pop())
            parked[-1].park()
        elif held:
            held.pop().settle(Disposition.FILTERED)
    if sealed_at >= len(steps):
        unit.seal()
    for token in held:
        token.settle(Disposition.FILTERED)
    assert len(heard.said) == 1


def test_tokens_settled_on_many_threads_settle_their_unit_once(heard):
    for _ in range(50):
        heard.said.clear()
        unit = heard.unit()
        tokens = [unit.track(n).token for n in range(64)]
        start = threading.Barrier(5)

        def settle(some, start=start):
            start.wait()
            for token in some:
                token.settle(Disposition.DELIVERED)

        threads = [threading.Thread(target=settle, args=(tokens[n::4],)) for n in range(4)]
        for thread in threads:
            thread.start()
        start.wait()
        unit.seal()
        for thread in threads:
            thread.join()
        assert heard.said == [{Disposition.DELIVERED: 64}]


def test_a_branch_that_is_left_before_a_unit_begins_there_has_no_use_for_it(heard):
    unit = heard.unit()
    fork = Fork(unit.scope, 2)
    one, other = fork.split(unit.track("a").token)
    unit.seal()
    other.settle(Disposition.DELIVERED)
    one.scope.leave_out(one)
    assert heard.said == [{Disposition.DELIVERED: 1, Disposition.FILTERED: 1}]


def test_a_branch_that_is_left_in_the_midst_of_a_unit_abandons_it(heard):
    unit = heard.unit()
    fork = Fork(unit.scope, 2)
    shares = [fork.split(unit.track(element).token) for element in "ab"]
    unit.seal()
    shares[0][0].scope.begun = True
    shares[0][0].settle(Disposition.DELIVERED)
    shares[1][0].scope.leave_out(shares[1][0])
    for _, other in shares:
        other.settle(Disposition.DELIVERED)
    assert unit.abandoned
    assert heard.said == []


def test_a_unit_that_is_abandoned_tells_its_branches_also_when_all_of_it_has_gone_there(heard):
    unit = heard.unit()
    fork = Fork(unit.scope, 2)
    one, _ = fork.split(unit.track("a").token)
    unit.seal()
    told = []
    one.scope.when_gathered(lambda: told.append(unit.abandoned))
    assert told == []
    unit.abandon()
    assert told == [True]


@pytest.mark.parametrize("ways", [1, 2])
def test_the_only_branch_of_a_unit_has_all_that_is_left_of_it(heard, ways):
    unit = heard.unit()
    first = Fork(unit.scope, 1)
    last = Fork(first.branches[0], ways)
    given = [last.split(first.split(unit.track(element).token)[0]) for element in "ab"]
    scope = given[0][0].scope
    assert not scope.is_all_that_is_left(2), "more may come"
    unit.seal()
    assert scope.is_all_that_is_left(2) == (ways == 1)
    assert not scope.is_all_that_is_left(1)
