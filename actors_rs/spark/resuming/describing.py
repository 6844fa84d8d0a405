"""A DataFrame's plan as texts, by which a ledger knows it again."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from actors_rs.spark.repeat.fixing import caches_of, dealt
from actors_rs.spark.resuming.partition_settings import settings_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["caches_read", "description_of", "files_read", "without_numbers"]

_ALL_FIELDS = 2**31 - 1
_LAMBDA = re.compile(r"\blambda (\w+?)(_\d+#\d+)")
_EXPRESSION = re.compile(r"(?<![\s'\"=(])#(\d+)")
_COUNTED = re.compile(
    r"(CTERelation(?:Def|Ref) |CollectMetrics .*\], |plan_id=|RDD\[(?=\d+\] at ))\d+"
)
_ADDRESS = re.compile(r"0x[0-9a-f]+|@[0-9a-f]{6,}")
_CALL_SITE = re.compile(r"( at [^\[\n]*?) at [^\[\n]*:\d+(?= \[)")
_FILE = re.compile(r"\bpath=(.*?); isDirectory=\w+; length=(\d+);")
_CACHED = re.compile(r"^.*\bCachedPartitions: .*\n?", re.MULTILINE)


def description_of(df: Any, run: DataFrame | None) -> tuple[str, str]:
    """Schema and plan of a DataFrame, with the files it reads and the settings it is dealt by.

    ``run``: the DataFrame in its place whose partitions are fetched, which says how they came.
    """
    plan = df._jdf.queryExecution().analyzed()
    with _nothing_left_out(df.sparkSession):
        text = plan.toString()
    session = df.sparkSession
    settings = settings_of(session.sparkContext, session._jsparkSession)
    decided = [] if run is None else dealt(run)
    return df.schema.simpleString(), "\n".join([text, *sorted(df.inputFiles()), settings, *decided])


def caches_read(run: DataFrame | None) -> str:
    """The caches that ``run``, once it is planned, reads: a line each. No part of the plan."""
    return "" if run is None else "\n".join(map(without_numbers, caches_of(run)))


def files_read(df: Any) -> dict[str, int]:
    """The files that Spark reads for ``df``, with the bytes that it deals them to partitions by.

    The files of subqueries and of tables that list files late are missing. It is empty where the
    names for it, private to Spark, have moved.
    """
    from py4j.protocol import Py4JError

    found: dict[str, int] = {}
    with suppress(Py4JError):
        leaves = df._jdf.queryExecution().analyzed().collectLeaves()
        for place in range(leaves.size()):
            with suppress(Py4JError):  # a leaf of another kind
                listed = leaves.apply(place).relation().location().allFiles().mkString("\n")
                found |= {name: int(size) for name, size in _FILE.findall(str(listed))}
    return found


def without_numbers(plan: str) -> str:
    """``plan`` without what Spark gives anew in every session, or whenever a plan is made.

    Expressions are numbered anew in the order they come in, for they must not change places. All
    text of the user stays: an index, a literal, the number in a column's name.
    """
    for name, number in set(_LAMBDA.findall(plan)):
        known = rf"\b{re.escape(name + number)}(?!\d)"
        plan = re.sub(known, f"{name}{number[number.index('#') :]}", plan)
    order: dict[str, int] = {}
    plan = _EXPRESSION.sub(lambda it: f"#{order.setdefault(it.group(1), len(order))}", plan)
    plan = _CALL_SITE.sub(r"\1", _COUNTED.sub(r"\1", _CACHED.sub("", plan)))
    return _ADDRESS.sub("@", plan)


@contextmanager
def _nothing_left_out(session: Any) -> Iterator[None]:
    """Have Spark show on this thread the columns or arguments after the 25th, too.

    It asks the thread's session. That is a copy meanwhile: the user's settings are the user's.
    """
    from py4j.protocol import Py4JError

    sessions = session._jvm.org.apache.spark.sql.SparkSession
    before = sessions.getActiveSession()
    try:
        copy = session._jsparkSession.cloneSession()
        copy.conf().set("spark.sql.debug.maxToStringFields", _ALL_FIELDS)
        sessions.setActiveSession(copy)
    except Py4JError:  # names that are private to Spark: without them, 25 have to do
        yield
        return
    try:
        yield
    finally:
        if before.isDefined():
            sessions.setActiveSession(before.get())
        else:
            sessions.clearActiveSession()
