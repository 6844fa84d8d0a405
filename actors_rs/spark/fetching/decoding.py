"""``decoded``: the rows of Arrow batches, made a few thousand and a few MiB at a time."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import closing
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import Row

__all__ = ["decoded", "slices"]

_ROWS_AT_ONCE = 4096
_BYTES_AT_ONCE = 4 * 2**20


def decoded(
    batches: Generator[pa.RecordBatch, None, None], decode: Callable[[pa.Table], list[Row]]
) -> Generator[Row, None, None]:
    """The rows that ``decode`` makes of ``batches``, which are closed at the end."""
    with closing(batches):
        for batch in batches:
            for chunk in slices(batch):
                yield from decode(chunk)


def slices(batch: pa.RecordBatch) -> Generator[pa.Table, None, None]:
    """``batch`` in parts of some thousand rows and some MiB, at least a row each."""
    import pyarrow as pa

    fitting = batch.num_rows * _BYTES_AT_ONCE // max(1, batch.nbytes)
    rows = max(1, min(_ROWS_AT_ONCE, fitting))
    for start in range(0, batch.num_rows, rows):
        yield pa.Table.from_batches([batch.slice(start, rows)])
