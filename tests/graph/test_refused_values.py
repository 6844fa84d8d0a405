# mypy: disable-error-code="arg-type, call-arg, misc, return-value, type-var, var-annotated"
"""What a function of the user's must not return, or an element must not be, fails in one sentence.

It names the stage, what was expected and what came, and the element where one is at fault.
"""

import pytest

from actors_rs import Sink, Source, zip
from actors_rs.errors import StageError
from tests.graph.helpers import SECONDS

ten = Source.range(0, 10)
of = Source.of
REFUSED = {
    "starmap": (
        lambda: of((1, 2), 3).starmap(max),
        "'starmap' failed at element 1: TypeError: starmap: expected a tuple of arguments, got 3",
    ),
    "starmap as far as it is asked": (
        lambda: of(*[(1, 2)] * 4, None).starmap(max).map(str).with_attributes(window=1),
        "'starmap' failed at element 4: TypeError: starmap: expected a tuple of arguments, got "
        "None",
    ),
    "starmap of an inner stream": (
        lambda: of(7).flat_map(lambda n: of(n).starmap(max)),
        "'starmap#1' failed at element 0: TypeError: starmap: expected a tuple of arguments, got 7",
    ),
    "starmap with too many": (
        lambda: of((1, 2), (1, 2, 3)).starmap(lambda a, b: a),
        "'starmap' failed at element 1: TypeError: <lambda>() takes 2 positional arguments but 3",
    ),
    "unzip": (
        lambda: zip(*of((1, 2), (3, 4, 5)).unzip()),
        "'unzip' failed at element 1: TypeError: unzip(2) needs sequences of 2, got (3, 4, 5)",
    ),
    "weight of nothing": (
        lambda: ten.batch(weight=lambda n: None if n == 2 else n, max_weight=9),
        "'batch' failed at element 2: InvalidArgumentError: batch: weight must return a number of "
        "at least 0, got None",
    ),
    "weight below 0": (
        lambda: ten.batch(weight=lambda n: 1 - n, max_weight=9),
        "'batch' failed at element 2: InvalidArgumentError: batch: weight must return a number of "
        "at least 0, got -1",
    ),
    "cost": (
        lambda: ten.throttle(1e6, cost=lambda n: "3" if n == 1 else 1),
        "'throttle' failed at element 1: InvalidArgumentError: throttle: cost must return a number "
        "of at least 0, got '3'",
    ),
    "key of a group": (
        lambda: ten.group_by(lambda n: [n] if n == 3 else 0, 4).flat_map(lambda g: g, 4),
        "'group_by' failed at element 3: TypeError: group_by: key: expected something hashable, "
        "got [3]",
    ),
    "key of a call": (
        lambda: ten.map_async(str, 2, key=lambda n: {n} if n == 3 else n),
        "'map_async' failed at element 3: TypeError: map_async: key: expected something hashable, "
        "got {3}",
    ),
    "distinct": (
        lambda: of(1, [2]).distinct(),
        "'distinct' failed at element 1: TypeError: distinct: expected something hashable, got [2]",
    ),
    "distinct key": (
        lambda: ten.distinct(lambda n: [n]),
        "'distinct' failed at element 0: TypeError: distinct: key: expected something hashable, "
        "got [0]",
    ),
    "distinct key in a window": (
        lambda: ten.distinct(lambda n: [n], 3),
        "'distinct' failed at element 0: TypeError: distinct: key: expected something hashable, "
        "got [0]",
    ),
    "sort_within": (
        lambda: of(1, "a").sort_within(2),
        "'sort_within' failed at element 1: TypeError: sort_within: expected what can be compared, "
        "got 'a': '<' not supported between instances of 'str' and 'int'",
    ),
    "merge_sorted": (
        lambda: of(1, 2, 9).merge_sorted(of(3, "a")),
        "'merge_sorted' failed: TypeError: merge_sorted: expected what can be compared, got 'a' "
        "(element 1 of the second stream) and 9 (element 2 of the first stream)",
    ),
    "unfold": (
        lambda: Source.unfold(0, lambda n: (n, n + 1) if n < 3 else n),
        "'unfold' failed at element 3: TypeError: unfold: f: expected a pair, (element, next "
        "state) or None, got 3",
    ),
    "stateful_map": (
        lambda: ten.stateful_map(int, lambda s, n: (s, n) if n < 3 else None),
        "'stateful_map' failed at element 3: TypeError: stateful_map: f: expected a pair, (next "
        "state, result), got None",
    ),
    "flat_map": (
        lambda: ten.flat_map(lambda n: [n] if n < 3 else n),
        "'flat_map' failed at element 3: TypeError: flat_map: f: expected a Source, an "
        "iterable or an async iterable, got 3",
    ),
    "partition": (
        lambda: zip(*ten.partition(2, lambda n: n)),
        "'partition' failed at element 2: InvalidArgumentError: partition(2, f): f must return 0 "
        "to 1, got 2",
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_the_message_tells_the_stage_the_element_what_was_expected_and_what_came(what, shared):
    make, said = REFUSED[what]
    with pytest.raises(StageError) as caught:
        shared.start(make().to(Sink.list())).result(SECONDS)
    message = str(caught.value).replace("<lambda>.<locals>.", "")
    assert message.startswith(f"stage {said}")
    assert message.endswith(")")  # the line that made it
    assert "\n" not in message


class OddError(TypeError):
    """What a function of the user's raises itself."""


def odd(n):
    if n in (2, 3):
        raise OddError(n)
    return [n] if n == 1 else n


FUSSY = {
    "group_by": lambda: ten.group_by(odd, 20),
    "distinct": lambda: ten.distinct(odd),
    "distinct in a window": lambda: ten.distinct(odd, 20),
    "map_async": lambda: ten.map_async(str, 1, key=odd),
    "batch": lambda: ten.batch(weight=odd, max_weight=99),
    "starmap": lambda: of(*({1: 7}.get(n, (n,)) for n in range(10))).starmap(odd),
}


@pytest.mark.parametrize("what", FUSSY)
def test_a_type_error_of_the_function_itself_is_told_as_it_is_also_behind_a_refused_value(
    what, shared
):
    told = []

    def note(error, _):
        told.append(error)
        return "resume"

    if what == "group_by":
        flow = FUSSY[what]().on_failure(decider=note).flat_map(lambda group: group, 20)
    else:
        flow = FUSSY[what]().on_failure(decider=note)
    shared.start(flow.to(Sink.ignore())).result(SECONDS)
    assert [type(error) is OddError for error in told] == [False, True, True]


def test_what_was_merged_before_an_element_that_cannot_be_compared_is_given_once(shared):
    got = []
    flow = of(1, 2, 9).merge_sorted(of(3, "a"))
    with pytest.raises(StageError):
        shared.start(flow.to(Sink.for_each(got.append))).result(SECONDS)
    assert got == [1, 2, 3]


def test_a_generator_that_f_has_used_up_is_not_blamed_for_what_f_raises(shared):
    def f(*numbers):
        raise OddError(numbers)

    flow = of(n for n in range(3)).starmap(f)
    with pytest.raises(StageError, match=r"at element 0: OddError: \(0, 1, 2\)"):
        shared.start(flow.to(Sink.list())).result(SECONDS)
