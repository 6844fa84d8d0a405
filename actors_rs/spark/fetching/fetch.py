"""``Fetch``: one attempt at a partition, and how far its thread may read ahead."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from actors_rs.runtime._primitives import Semaphore
from actors_rs.spark.repeat.checksum import Checksum
from actors_rs.stages.chunks.auto_window import MemoryShare
from actors_rs.stages.chunks.weights import lately, weight_of

__all__ = ["CHUNKS_AHEAD", "Fetch", "next_chunk", "running"]

CHUNKS_AHEAD = 8
"""Chunks of one partition that wait to be delivered; its thread holds at most one more."""
CHUNK_BYTES = 2**20
"""Bytes of the rows that are handed over together, by the first of them."""


def next_chunk(elements: Iterator[Any], most: int) -> list[Any]:
    """The next elements, at most ``most`` and some ``CHUNK_BYTES``; none at the end."""
    chunk = list(islice(elements, 1))
    if chunk and most > 1:
        fitting = int(CHUNK_BYTES / weight_of(chunk[0]))
        chunk.extend(islice(elements, max(0, min(most, fitting) - 1)))
    return chunk


class Fetch:
    """One attempt at a partition. Its thread hands over a chunk for each one in ``demand``.

    Its jobs run under ``tag``; a thread that finds it ``dropped`` reads no further. With
    ``share``, of a system's memory limit, the thread reads as many chunks ahead as that allows,
    at least one. Call the methods in turns of the stage.
    """

    __slots__ = (
        *("began", "checksum", "demand", "dropped", "ended", "error", "index", "chunks"),
        *("_granted", "_share", "_weight", "tag", "touched", "whole"),
    )

    def __init__(self, index: int, tag: str, share: MemoryShare | None = None) -> None:
        self.index = index
        self.tag = tag
        self.dropped = self.ended = False
        self.began = 0.0  # not yet
        self.touched = False  # something of it was handed over
        self.chunks: deque[list[Any]] = deque()
        self.whole = False  # read to its end, not cut short
        self.error: BaseException | None = None
        self.checksum: Checksum | None = None
        self._share = share
        self._weight = 0.0  # bytes of a chunk, as they were lately
        self._granted = CHUNKS_AHEAD if share is None else 1  # chunks in ``demand`` or held
        self.demand = Semaphore(self._granted)

    @property
    def is_full(self) -> bool:
        """Whether its thread waits until a chunk is taken."""
        return len(self.chunks) >= self._granted

    @property
    def held_bytes(self) -> int:
        """Bytes of the chunks that wait, by the weight of the latest chunks. Any thread."""
        return int(len(self.chunks) * self._weight)

    def arrived(self, chunk: list[Any], weight: float) -> None:
        """Keep ``chunk`` of ``weight`` bytes until it is taken."""
        self.chunks.append(chunk)
        self._weight = lately(self._weight, weight)
        self._grant()

    def taken(self) -> None:
        """A chunk was taken: its thread may read another one."""
        self._granted -= 1
        self._grant()

    def over(self) -> None:
        """Nothing is held any more, and nothing will be."""
        if self._share is not None:
            self._share.release()
            self._share = None

    def _grant(self) -> None:
        """Let the thread read ahead as far as the share allows; it holds a chunk besides."""
        most = CHUNKS_AHEAD
        if self._share is not None:
            fitting = self._share.reserve(most + 1, self._weight, self._granted + 1)
            most = max(1, fitting - 1)
        if most > self._granted:
            self.demand.release(most - self._granted)
            self._granted = most


def running(fetches: Iterable[Fetch]) -> list[int]:
    """The partitions of ``fetches`` that are being read, in order: begun, and not ended."""
    return sorted({one.index for one in fetches if one.began and not one.ended})
