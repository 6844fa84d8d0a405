"""bytes("image.raw", 65_536)

b"..." b"..." |

Gives the bytes of files in chunks, decompressed if they are compressed. A chunk has the given size,
the last one of a file what is left.

Back-pressure: reads as far as chunks are asked for, on a thread of its own.
Completes: at the end of the last file.
Fails: when a file cannot be read, with the file (ReadError).
Cancels: closes the file.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

from actors_rs.stages.files.inputs import Inputs
from actors_rs.stages.files.reading import reading
from actors_rs.stages.files.source import FileSource


class Bytes(FileSource):
    """Chunks of ``size`` bytes, one file after the other."""

    def __init__(self, inputs: Inputs, size: int) -> None:
        super().__init__(inputs)
        self._size = size

    def elements(self) -> Iterator[bytes]:
        size = self._size
        for one in self.files():
            with reading(one.name), closing(one.chunks()) as chunks:
                held = bytearray()
                for chunk in chunks:
                    held += chunk
                    whole = len(held) - len(held) % size
                    for start in range(0, whole, size):
                        yield bytes(held[start : start + size])
                    del held[:whole]
                if held:
                    yield bytes(held)
