"""lines("out.txt"): one text a line; the file appears when it is complete.

A path that ends in ``.gz``, ``.bz2``, ``.xz`` or ``.zst`` is written compressed. An element with a
line end in it is refused: it would be read back as two.

Back-pressure: asks for a window; a slow disk slows the stream down.
Completes: when upstream has completed and the file is in its place.
Fails: when upstream has failed, an element cannot be written, or the file cannot be written. A file
error, a full disk for instance, is no element's fault and fails the stage under any policy.
Cancels: when the run is cancelled; no incomplete file is left.
"""

from __future__ import annotations

from typing import Any

from actors_rs.stages.sinks.files.text_file import TextFileSink
from actors_rs.texts import class_name_of, short_repr_of


class Lines(TextFileSink):
    """Writes each text and a line end."""

    def text_of(self, element: Any) -> str:
        """``element`` as one line; it raises for what is none."""
        if not isinstance(element, str):
            raise TypeError(
                "Sink.lines: expected a text (put map(str) before the sink), got "
                f"{class_name_of(element)}: {short_repr_of(element)}"
            )
        if "\n" in element or "\r" in element:
            raise ValueError(
                "Sink.lines: expected a text without line ends (Sink.jsonl writes any text), "
                f"got {short_repr_of(element)}"
            )
        if not element.isascii():
            element.encode()  # raises here, as the element's fault and not the file's
        return element + "\n"
