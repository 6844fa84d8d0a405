"""The data set that ``SparkSink.parquet`` adds to, and the one schema that all of it has.

Spark appends rows of any schema, and a data set of files with two schemas cannot be read. So the
schema is settled once: the schema of the existing files, or the given one, or that which the first
piece has. `arrow_match` says what fits it. All schemas are compared as Spark writes them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from actors_rs.errors import WriteError
from actors_rs.spark.failures import SparkSessionLost
from actors_rs.stages.arrow.match import matched, mismatch
from actors_rs.stages.arrow.schema import loosened

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["DataSet", "arrow_schema_of"]

_NOTHING_THERE = ("PATH_NOT_FOUND", "UNABLE_TO_INFER_SCHEMA")
Ask = Callable[[Callable[[Any], Any]], Any]


class DataSet:
    """One stage's view of the data set at ``path``. ``ask`` calls a function with the session.

    ``schema``: the one that was asked for, ``None`` for that of what is there or comes first.
    """

    def __init__(self, ask: Ask, path: str, schema: pa.Schema | None) -> None:
        self._ask = ask
        self._path = path
        self._schema = None if schema is None else _as_spark_writes(schema)
        self._settled = False
        self._is_there = False

    def fitted(self, table: pa.Table, hidden: str | None = None) -> pa.Table:
        """``table`` as a part of the data set. Blocks, at first.

        ``hidden``: a column that readers find besides, the name of the directories. Raises
        ``ValueError`` for a table that does not fit, ``WriteError`` if the data set that is there
        cannot be read, or what comes first does not fit it.
        """
        own = _as_spark_writes(table.schema)
        self._settle(own if self._schema is None else self._schema, hidden)
        schema = self._schema
        if own.equals(schema):
            return table
        if difference := mismatch(own, schema):
            raise ValueError(
                f"SparkSink.parquet: expected data with the schema of {self._path}, got "
                f"{difference}"
            )
        return matched(table, _with_types_of(table.schema, own, schema))

    def empty(self, hidden: str | None = None) -> pa.Table | None:
        """What to write where no row came; ``None`` if files are there, or no schema is known.

        Blocks. ``hidden`` as for ``fitted``.
        """
        if self._schema is None or any(str(kind) == "null" for kind in self._schema.types):
            return None
        self._settle(self._schema, hidden)
        return None if self._is_there else self._schema.empty_table()

    def _settle(self, first: pa.Schema, hidden: str | None) -> None:
        if self._settled:
            return
        try:
            there = self._ask(lambda session: _schema_at(session, self._path, hidden))
            if there is not None and (difference := mismatch(first, there)):
                raise ValueError(
                    f"expected data with the schema of the existing files, got {difference}"
                )
        except SparkSessionLost:
            raise
        except Exception as error:
            raise WriteError(self._path, error) from error
        self._is_there = there is not None
        self._schema = first if there is None else there
        self._settled = True


def arrow_schema_of(struct: Any) -> pa.Schema:
    """A ``StructType`` of pyspark as Arrow's schema. By a name that is private to pyspark."""
    from pyspark.sql.pandas.types import to_arrow_schema

    return to_arrow_schema(struct, timezone="UTC")


def _as_spark_writes(schema: pa.Schema) -> pa.Schema:
    """``schema`` as it is when it went through Spark: any column may be null there."""
    import pyarrow as pa
    from pyspark.sql.pandas.types import from_arrow_schema

    schema = loosened(schema)
    struct = from_arrow_schema(schema, prefer_timestamp_ntz=True)
    return pa.schema([field.with_nullable(True) for field in arrow_schema_of(struct)])


def _with_types_of(schema: pa.Schema, own: pa.Schema, target: pa.Schema) -> pa.Schema:
    """``target``, with the types of ``schema`` where Spark makes the same of them."""
    types = {
        name: kind
        for name, kind, written in zip(schema.names, schema.types, own.types, strict=True)
        if written == target.field(name).type
    }
    import pyarrow as pa

    return pa.schema([one.with_type(types.get(one.name, one.type)) for one in target])


def _schema_at(session: Any, path: str, hidden: str | None) -> pa.Schema | None:
    """The schema of the data set at ``path``; ``None`` if there is none. Blocks."""
    import pyarrow as pa
    from pyspark.errors import AnalysisException

    try:
        struct = session.read.parquet(path).schema
    except AnalysisException as error:
        if error.getCondition() in _NOTHING_THERE:
            return None
        raise
    fields = arrow_schema_of(struct)
    return pa.schema([field for field in fields if field.name.lower() != hidden])
