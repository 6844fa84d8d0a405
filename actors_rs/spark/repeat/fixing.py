"""What Spark would decide anew in each run: fixed where it can be, noted where it cannot.

`fixed` refuses a DataFrame whose partitions cannot be the same, and gives one whose partitions do
not depend on which of two stages was done first. `dealt` says how the rows were dealt in the end:
where it differs from what the ledger has, the run is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from actors_rs.errors import LedgerError
from actors_rs.runtime._logging import logger_called
from actors_rs.spark.repeat.lineage import ancestors, judge_rdd
from actors_rs.spark.repeat.nodes import Expression, Node, elements
from actors_rs.spark.repeat.rules import judge_plan
from actors_rs.spark.repeat.verdict import LITERALS, UnstablePlanError
from actors_rs.texts import text_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["FIXED", "caches_of", "dealt", "fixed", "judge"]

FIXED = {
    "spark.sql.adaptive.autoBroadcastJoinThreshold": "-1",
    "spark.sql.adaptive.forceOptimizeSkewedJoin": "false",
    "spark.sql.adaptive.localShuffleReader.enabled": "false",
    "spark.sql.adaptive.maxShuffledHashJoinLocalMapThreshold": "0",
    "spark.sql.adaptive.optimizeSkewsInRebalancePartitions.enabled": "false",
    "spark.sql.adaptive.skewJoin.enabled": "false",
    "spark.sql.execution.sortBeforeRepartition": "true",
}
"""For the run, in a copy of the session: by these adaptive execution would change joins and split
partitions by which stage was done first and where its rows lie. Joins are broadcast as the
optimizer decides, by what it knows before the run."""

logger = logger_called("actors_rs.spark")
_NUMBER = re.compile(r"#\d+L?")
_SIZES = re.compile(r",(?:Some\(\d+\)|None)\)")
_WRAPPERS = frozenset({
    "AdaptiveSparkPlanExec", "BroadcastQueryStageExec", "InputAdapter", "ResultQueryStageExec",
    "ShuffleQueryStageExec", "TableCacheQueryStageExec", "WholeStageCodegenExec",
})  # fmt: skip
_NOW = frozenset({
    "CurrentBatchTimestamp", "CurrentDate", "CurrentTime", "CurrentTimestamp", "LocalTimestamp",
    "Now",
})  # fmt: skip


def fixed(df: DataFrame) -> DataFrame:
    """``df`` for a run that may be gone on with: the same rows, in partitions that stay the same.

    Plans, and runs no job except to list files. Raises `LedgerError` where the partitions may be
    others in another process.
    """
    from py4j.protocol import Py4JJavaError
    from pyspark.sql import DataFrame, SparkSession

    context = df.sparkSession.sparkContext
    copy: Any = df.sparkSession._jsparkSession.cloneSession()
    for name, value in FIXED.items():
        with suppress(Py4JJavaError):  # this Spark has no such setting
            copy.conf().set(name, value)
    jvm: Any = context._jvm
    analyzed = df._jdf.queryExecution().analyzed()
    java = jvm.org.apache.spark.sql.classic.Dataset.ofRows(copy, analyzed)
    try:
        judge_plan(java.queryExecution().executedPlan())
        _judge_time(analyzed, java.queryExecution().executedPlan())
    except UnstablePlanError as unstable:
        raise LedgerError(text_of(unstable)) from unstable
    return DataFrame(java, SparkSession(context, copy))


def judge(rdd: Any) -> None:
    """Raise `LedgerError` where the partitions of ``rdd``, an RDD of the JVM's, may be others."""
    try:
        judge_rdd(rdd)
    except UnstablePlanError as unstable:
        raise LedgerError(text_of(unstable)) from unstable


def dealt(df: DataFrame) -> list[str]:
    """How a `fixed` DataFrame, once it is planned, was dealt to partitions; lines without numbers
    that are new in each process. Empty where the plan says it all."""
    plan = df._jdf.queryExecution().executedPlan()
    nodes = list(_final(plan))
    lines = []
    if any(node.name == "AQEShuffleReadExec" for node in nodes):
        lines.append(f"run as {' '.join(n.name for n in nodes if n.name not in _WRAPPERS)}")
    for node in nodes:
        if node.name == "AQEShuffleReadExec":
            specs = str(node.java.partitionSpecs().toString())
            lines.append(f"partitions read together {_SIZES.sub(')', specs)}")
    if any(node.name == "CoalesceExec" for node in nodes):
        lines += _coalesced(df)
    return lines


def caches_of(df: DataFrame) -> list[str]:
    """The caches that a planned DataFrame reads: the root step of each one, in Spark's words.

    Empty where the names for it, private to Spark, have moved: it is for messages alone.
    """
    from py4j.protocol import Py4JError

    nodes = _final(df._jdf.queryExecution().executedPlan())
    with suppress(Py4JError):
        relations = [one.java.relation() for one in nodes if one.name == "InMemoryTableScanExec"]
        plans = [str(one.cacheBuilder().logicalPlan().toString()) for one in relations]
        return [plan.partition("\n")[0].strip() for plan in plans]
    return []


def _coalesced(df: DataFrame) -> Iterator[str]:
    """What coalesce(n) put together, which depends on where the rows lie."""
    for rdd in ancestors(df._jdf.queryExecution().toRdd()):
        if str(rdd.getClass().getSimpleName()) == "CoalescedRDD":
            groups = [list(one.parentsIndices()) for one in rdd.partitions()]
            yield f"partitions coalesced {groups}"


def _final(java: Any) -> Iterator[Node]:
    """All nodes of a plan as it is run, also the nodes of its caches."""
    node = Node(java)
    yield node
    if node.name == "AdaptiveSparkPlanExec":
        yield from _final(java.executedPlan())
        return
    for child in node.children:
        yield from _final(child.java)


def _judge_time(analyzed: Any, plan: Any) -> None:
    """Refuse the time of the run as a value where rows are shuffled, and warn of it elsewhere."""
    times = list(_expressions_with(analyzed, _NOW))
    if not times:
        return
    if any(node.name in ("BroadcastExchangeExec", "ShuffleExchangeExec") for node in _all(plan)):
        raise UnstablePlanError(
            "it shuffles or broadcasts rows and asks for the time of the run "
            "(current_timestamp(), current_date(), now()), which each run has another one of",
            LITERALS,
        )
    named = ", ".join(dict.fromkeys(_NUMBER.sub("", text_of(one)) for one in times))
    logger.warning(
        "resume: each start of this run has a value of its own for %s, so the rows of a run that "
        "is gone on with differ from those that were written before: %s",
        named,
        LITERALS,
    )


def _all(java: Any) -> Iterator[Node]:
    node = Node(java)
    yield node
    for child in node.children:
        yield from _all(child.java)


def _expressions_with(logical: Any, classes: frozenset[str]) -> Iterator[Expression]:
    """The expressions that name one of ``classes``; of a subquery its own, by which it is known."""
    node = Node(logical)
    inside = [one for plan in node.subqueries for one in _expressions_with(plan.java, classes)]
    yield from inside or (one for one in node.expressions if one.classes & classes)
    for child in elements(logical.children()):
        yield from _expressions_with(child, classes)
