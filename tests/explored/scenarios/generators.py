# mypy: disable-error-code="var-annotated, arg-type, func-returns-value"
"""Generators of the user's: async iterables as sources, and operators of one's own."""

from actors_rs import operator
from tests.explored.scenario import Case


@operator
def pairs_of_sums(numbers):
    total = 0
    pair: tuple[int, ...] = ()
    for number in numbers:
        total += number
        pair = (*pair, total)
        if len(pair) == 2:
            yield pair
            pair = ()


@operator
def first_two(elements):
    yield next(elements)
    yield next(elements)


CASES = {
    "operator of one's own": Case(
        lambda up: up(range(12)).map(int).via(pairs_of_sums()),
        [(0, 1), (3, 6), (10, 15), (21, 28), (36, 45), (55, 66)],
    ),
    "operator that returns": Case(
        lambda up: up(range(9)).via(pairs_of_sums()).via(first_two()),
        [(0, 1), (3, 6)],
        ways=("result", "free", "cancel"),
    ),
    "async iterable": Case(lambda up: up.awaited(range(5)).map(lambda x: x * 10), range(0, 50, 10)),
}
SCENARIOS = []
