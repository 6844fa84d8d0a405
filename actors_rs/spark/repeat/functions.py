"""Rules for operators that evaluate expressions: the effect of another order of rows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from actors_rs.spark.repeat.nodes import Expression, Node
from actors_rs.spark.repeat.verdict import State

__all__ = ["aggregate", "derive", "reads_floats", "select", "window", "window_limit"]

_BY_PLACE = frozenset({
    "InputFileBlockLength", "InputFileBlockStart", "InputFileName", "MonotonicallyIncreasingID",
    "Rand", "RandStr", "Randn", "Shuffle", "SparkPartitionID", "Uniform", "Uuid",
})  # fmt: skip
"""Not functions of a row, but of the seed in the plan and the row's place in its partition."""
_EXACT = frozenset({
    "BitAndAgg", "BitOrAgg", "BitXorAgg", "BloomFilterAggregate", "BoolAnd", "BoolOr", "Count",
    "CountIf", "Max", "Min",
})  # fmt: skip
"""Aggregates that give the same for any order of their rows."""
_ADDING = frozenset({
    "Average", "CentralMomentAgg", "Corr", "CovPopulation", "CovSample", "Kurtosis",
    "RegrIntercept", "RegrR2", "RegrReplacement", "RegrSlope", "Skewness", "StddevPop",
    "StddevSamp", "Sum", "TryAverage", "TrySum", "VariancePop", "VarianceSamp",
})  # fmt: skip
"""Aggregates that give the same but for the last digit of a floating point number."""
_RANKS = frozenset({"CumeDist", "DenseRank", "PercentRank", "Rank"})
"""Window functions that give the same number to rows that tie."""


def reads_floats(expressions: Iterable[Expression], state: State) -> bool:
    """Whether one of ``expressions`` reads a column whose last digit is not fixed."""
    return any(one.reads & state.floats for one in expressions)


def derive(node: Node, state: State) -> State:
    """Columns made of columns."""
    state = _by_place(node, state)
    old = {column for child in node.children for column in child.output}
    new: set[int] = set()
    if state.floats:
        made = [one for one in node.expressions if one.reads & state.floats]
        named = {one.id for one in made if one.id != -1}
        unnamed = any(one.id == -1 for one in made)
        new = {one for one in node.output if one in named or (unnamed and one not in old)}
    return replace(state, floats=(state.floats & frozenset(node.output)) | new)


def select(node: Node, state: State) -> State:
    """Rows taken by a condition."""
    state = _by_place(node, state)
    if reads_floats(node.expressions, state):
        state = state.choosing(
            "a condition compares a sum of floating point numbers, added in no fixed order"
        )
    return replace(state, floats=state.floats & frozenset(node.output))


def _by_place(node: Node, state: State) -> State:
    for one in node.expressions:
        if one.declares_no_determinism:
            return state.choosing(f"{one} is a function declared with asNondeterministic()")
        if not one.is_deterministic:
            if not one.classes & _BY_PLACE:
                return state.choosing(f"{one} gives another value each time")
            if state.wavers:
                return state.choosing(f"{one} depends on the places of rows, which are not fixed")
    return state


def aggregate(node: Node, state: State) -> State:
    """Groups, which hold the same rows each time, though maybe in another order."""
    if node.name == "ArrowAggregatePythonExec":
        return derive(node, state)
    if reads_floats(node.of("groupingExpressions"), state):
        state = state.choosing("groups are made by a sum of floating point numbers")
    functions, results = node.of("aggregateExpressions"), node.of("aggregateAttributes")
    adding: set[int] = set()
    whole = False
    for function, result in zip(functions, results, strict=False):
        if not function.classes & {"Final", "Complete"}:
            continue  # of a part of a group: the whole is judged after the shuffle
        whole = True
        if function.classes & _ADDING:
            adding |= {result.id} if result.is_float else set()
        elif not function.classes & _EXACT and state.wavers:
            state = state.choosing(f"{function} depends on the order of rows in a group")
    if functions and not whole:
        return replace(state, floats=_passing(node, state))
    made = replace(state, floats=state.floats | adding)
    return derive(node, made)


def _passing(node: Node, state: State) -> frozenset[int]:
    """After a part of an aggregation: keys as they came, and buffers that count when whole."""
    return state.floats & frozenset(node.output)


def window(node: Node, state: State) -> State:
    """Functions over the rows around a row."""
    if not node.children:
        return state
    order = _columns(node, "partitionSpec", "orderSpec")
    ties = not order.issuperset(node.children[0].output)
    adding: set[int] = set()
    for one in node.of("windowExpression"):
        if not (one.classes & _RANKS or _is_whole(one)) and ties and state.wavers:
            state = state.choosing(f"{one} depends on the order of rows that tie")
        if one.classes & _ADDING and one.is_float:
            adding.add(one.id)
    return derive(node, replace(state, floats=state.floats | adding))


def _is_whole(one: Expression) -> bool:
    """Whether an aggregate over a window takes all rows of the group, or all that tie with one."""
    if not one.classes & (_EXACT | _ADDING):
        return False
    all_rows = {"UnboundedPreceding", "UnboundedFollowing"} <= one.classes
    return "RowFrame" not in one.classes or all_rows


def window_limit(node: Node, state: State) -> State:
    """The first ranks of each group. Of row numbers, one of several rows that tie."""
    name = str(node.java.rankLikeFunction().getClass().getSimpleName())
    order = _columns(node, "partitionSpec", "orderSpec")
    if name in _RANKS or order.issuperset(node.children[0].output) or not state.wavers:
        return state
    return state.choosing("row_number() takes one of several rows that tie")


def _columns(node: Node, *methods: str) -> set[int]:
    return {column for name in methods for one in node.of(name) for column in one.reads}
