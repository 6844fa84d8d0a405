"""A checksum of rows as Arrow: the same for any order of rows and any cut into batches.

Each row has a hash of its values, column by column; the checksum is their sum. It finds rows that
are lost, doubled or changed, and does not withstand an attacker. NaN is one value, and so are 0.0
and -0.0; the entries of a map have no order.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Generator
from contextlib import closing
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

    Hashes = np.ndarray[Any, np.dtype[np.uint64]]

__all__ = ["Checksum", "summed"]

_FIRST, _SECOND = 0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F
_NULL, _NAN = 0x165667B19E3779F9, 0x7FF8000000000000
_ALL = 2**64 - 1
_CHUNK = 16384
"""Rows that are hashed at a time: more do not fit into a processor's cache."""
_LONG = 1024
"""Bytes from which on a text is hashed by itself: eight at a time would take too many passes."""


class Checksum:
    """Sums up batches. One thread at a time."""

    def __init__(self) -> None:
        self._sum: int | None = None

    def add(self, batch: pa.RecordBatch) -> None:
        """Count the rows of ``batch``."""
        import numpy as np

        with np.errstate(over="ignore"):
            chunks = range(0, batch.num_rows, _CHUNK)
            total = sum(_sum_of(batch.slice(start, _CHUNK)) for start in chunks)
        self._sum = ((self._sum or 0) + total) & _ALL

    @property
    def text(self) -> str | None:
        """The sum so far; None for rows that never were Arrow, and for none at all."""
        return None if self._sum is None else f"{self._sum:016x}"


def summed(
    batches: Generator[pa.RecordBatch, None, None], checksum: Checksum | None
) -> Generator[pa.RecordBatch, None, None]:
    """``batches``, counted in ``checksum``."""
    if checksum is None:
        return batches
    return _summed(batches, checksum)


def _summed(
    batches: Generator[pa.RecordBatch, None, None], checksum: Checksum
) -> Generator[pa.RecordBatch, None, None]:
    with closing(batches):
        for batch in batches:
            checksum.add(batch)
            yield batch


def _sum_of(batch: pa.RecordBatch) -> int:
    import numpy as np

    hashes = _start(batch.num_rows)
    for column in batch.columns:
        _mix(hashes, _values(column))
    return int(hashes.sum(dtype=np.uint64))


def _start(count: int) -> Hashes:
    import numpy as np

    return np.full(count, _FIRST, dtype=np.uint64)


def _mix(hashes: Hashes, values: Hashes) -> None:
    """Take ``values`` into ``hashes``, in place."""
    import numpy as np

    hashes ^= values
    hashes *= np.uint64(_SECOND)
    hashes ^= hashes >> np.uint64(29)
    hashes *= np.uint64(_FIRST)


def _values(array: Any) -> Hashes:
    """A number for each value of ``array``; equal ones have equal numbers."""
    import numpy as np

    values = _present(array)
    if array.null_count:
        valid = array.is_valid().to_numpy(zero_copy_only=False)
        values = np.where(valid, values, np.uint64(_NULL))
    return values


def _present(array: Any) -> Hashes:
    """The same hashes for any content of the places without a value."""
    import numpy as np
    import pyarrow as pa

    kind = array.type
    if isinstance(array, pa.ExtensionArray):
        return _values(array.storage)
    if pa.types.is_dictionary(kind):
        return _values(array.dictionary_decode())
    if pa.types.is_null(kind):
        return np.full(len(array), _NULL, dtype=np.uint64)
    if pa.types.is_boolean(kind):
        return _present(array.cast(pa.uint8()))
    if pa.types.is_floating(kind):
        return _floats(array)
    if pa.types.is_struct(kind):
        return _struct(array)
    if pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_map(kind):
        return _lists(array)
    if pa.types.is_large_string(kind) or pa.types.is_large_binary(kind):
        return _texts(array, np.dtype(np.int64))
    if pa.types.is_string(kind) or pa.types.is_binary(kind):
        return _texts(array, np.dtype(np.int32))
    width = getattr(kind, "bit_width", 0) if pa.types.is_primitive(kind) else 0
    if pa.types.is_decimal128(kind) or width in (8, 16, 32, 64):
        return _words(array, kind.bit_width // 8)
    return _others(array)


def _words(array: Any, width: int) -> Hashes:
    """Values of a fixed number of bytes."""
    import numpy as np

    data = array.buffers()[1]
    if data is None:
        return np.zeros(len(array), dtype=np.uint64)
    if width == 16:
        pairs = np.frombuffer(data, np.uint64, 2 * len(array), 16 * array.offset)
        low = pairs[0::2].copy()
        _mix(low, pairs[1::2])
        return low
    raw = np.frombuffer(data, f"u{width}", len(array), width * array.offset)
    return raw.astype(np.uint64, copy=False)


def _floats(array: Any) -> Hashes:
    import numpy as np

    numbers = array.to_numpy(zero_copy_only=False).astype(np.float64, copy=False) + 0.0
    words: Hashes = numbers.view(np.uint64)
    return np.where(numbers == numbers, words, np.uint64(_NAN))


def _texts(array: Any, width: np.dtype[Any]) -> Hashes:
    """Eight bytes of each at a time; the long ones each by itself."""
    import numpy as np

    _, offsets, data = array.buffers()
    if not len(array) or offsets is None:
        return np.zeros(len(array), dtype=np.uint64)
    ends = np.frombuffer(offsets, width, len(array) + 1, width.itemsize * array.offset)
    first, last = int(ends[0]), int(ends[-1])
    starts, lengths = ends[:-1] - first, np.diff(ends)
    padded = np.zeros(last - first + 8, dtype=np.uint8)
    if last > first:
        padded[:-8] = np.frombuffer(data, np.uint8, last - first, first)
    words = np.lib.stride_tricks.as_strided(
        padded[:8].view(np.uint64), shape=(last - first + 1,), strides=(1,)
    )
    hashes: Hashes = lengths.astype(np.uint64)
    _add_words(hashes, words, starts, lengths)
    if int(lengths.max()) > _LONG:
        _mix_tails(hashes, memoryview(padded), starts, lengths)  # type: ignore[arg-type]
    return hashes


def _add_words(hashes: Hashes, words: Hashes, starts: Any, lengths: Any) -> None:
    """Add the bytes of each text to its hash, eight at a time, each with a factor by its place.

    Bytes beyond the end of a text are zero and add nothing.
    """
    import numpy as np

    masks = np.array([(1 << (8 * size)) - 1 for size in range(9)], np.uint64)
    shortest, longest = int(lengths.min()), min(int(lengths.max()), _LONG)
    factor, at, last = _FIRST, None, len(words) - 1
    for done in range(0, longest, 8):
        factor = (factor * _SECOND) & _ALL
        if done + 8 <= shortest:
            found = words[starts + done]
        else:
            left = lengths - done
            if 2 * np.count_nonzero(left > 0) < len(left):  # most have ended
                going = np.flatnonzero(left > 0)
                at = going if at is None else at[going]
                starts, lengths, left = starts[going], lengths[going], left[going]
            found = words[np.minimum(starts + done, last)]
            found &= masks[np.clip(left, 0, 8)]
        found *= np.uint64(factor)
        if at is None:
            hashes += found
        else:
            hashes[at] += found


def _mix_tails(hashes: Hashes, data: memoryview, starts: Any, lengths: Any) -> None:
    import numpy as np

    longer = np.flatnonzero(lengths > _LONG)
    ends = (starts + lengths)[longer].tolist()
    begins = (starts[longer] + _LONG).tolist()
    sums = [zlib.crc32(data[begin:end]) for begin, end in zip(begins, ends, strict=True)]
    tails = hashes[longer]
    _mix(tails, np.array(sums, dtype=np.uint64))
    hashes[longer] = tails


def _struct(array: Any) -> Hashes:
    hashes = _start(len(array))
    for field in array.flatten():
        _mix(hashes, _values(field))
    return hashes


def _lists(array: Any) -> Hashes:
    """Lists of values in their order; maps as their entries in any."""
    import numpy as np
    import pyarrow as pa

    ends = array.offsets.to_numpy().astype(np.int64)
    first, last = int(ends[0]), int(ends[-1])
    lengths = np.diff(ends)
    hashes = _start(last - first)
    if pa.types.is_map(array.type):
        for side in (array.keys, array.items):
            _mix(hashes, _values(side[first:last]))
    else:
        places = np.arange(last - first) - np.repeat(ends[:-1] - first, lengths)
        _mix(hashes, places.astype(np.uint64))
        _mix(hashes, _values(array.values[first:last]))
    sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(hashes, dtype=np.uint64)])
    whole: Hashes = lengths.astype(np.uint64)
    _mix(whole, sums[ends[1:] - first] - sums[ends[:-1] - first])
    return whole


def _others(array: Any) -> Hashes:
    """Any other type, value by value."""
    import numpy as np

    texts = [repr(value).encode() for value in array.to_pylist()]
    digests = [hashlib.blake2b(text, digest_size=8).digest() for text in texts]
    return np.frombuffer(b"".join(digests), dtype=np.uint64)
