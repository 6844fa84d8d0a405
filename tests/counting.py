"""What a piece of code costs, counted and not timed."""

import sys
import threading
from collections.abc import Collection
from types import FrameType, TracebackType
from typing import Any, Self


class Instructions:
    """Counts the instructions that run in ``files`` within its block, in ``count``.

    Those of the thread that enters the block, or, with ``on_new_threads``, of the threads that
    begin in it.
    """

    def __init__(self, files: Collection[str | None], *, on_new_threads: bool = False) -> None:
        self.count = 0
        self._files = files
        self._on_new_threads = on_new_threads
        self._before: Any = None

    def __enter__(self) -> Self:
        if self._on_new_threads:
            threading.settrace(self._call)
        else:
            self._before = sys.gettrace()
            sys.settrace(self._call)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._on_new_threads:
            threading.settrace(None)
        else:
            sys.settrace(self._before)

    def _call(self, frame: FrameType, event: str, _: Any) -> Any:
        if frame.f_code.co_filename not in self._files:
            return None
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        return self._opcode

    def _opcode(self, frame: FrameType, event: str, _: Any) -> Any:
        self.count += 1
        return self._opcode
