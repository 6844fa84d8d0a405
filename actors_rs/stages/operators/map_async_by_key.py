"""map_async(f, parallelism=2, key=first_letter)

in:  a1 a2 b1 |
out: f(b1) f(a1) f(a2) |    (f(a2) begins after f(a1); b1 overtakes both)

Like map_async, with one call at a time for each key: results of a key come in the order of its
elements, results of different keys as they are ready.

Back-pressure: holds at most twice ``parallelism`` elements, of all keys together.
Completes: when upstream has completed and the last call has ended.
Fails: with upstream, after all calls; or when the function or the key raises.
Cancels: upstream and the calls under way, when downstream cancels.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from concurrent.futures import Executor
from functools import partial
from typing import Any

from actors_rs.stages.calls.call import Call
from actors_rs.stages.iterators import check_key
from actors_rs.stages.operators.map_async import MapAsync


class MapAsyncByKey(MapAsync):
    """Calls for elements of the same ``key`` follow each other."""

    def __init__(
        self,
        f: Callable[[Any], Any],
        parallelism: int,
        key: Callable[[Any], Any],
        executor: Executor | None,
    ) -> None:
        super().__init__(f, parallelism, False, executor)
        self.key = key
        self._keys: dict[Call, Any] = {}  # of the calls that have not ended
        self._lines: dict[Any, deque[Call]] = {}  # each after the one call of its key that runs

    @property
    def _due(self) -> int:
        return len(self._lines)  # the others are not in their turn yet

    def _admit(self, room: int) -> None:
        frame = self.inlet.take(room)
        first = self.inlet.count - len(frame)
        elements = self.drawing = iter(frame)
        for offset, element in enumerate(elements):
            call = Call(element, first + offset, self.limit is not None)
            try:
                self._line_up(call, self.key(element))
            except Exception as error:
                give_back = partial(self.inlet.untake, frame[offset + 1 :])
                if not self.survives(error, element, call.position, first=give_back):
                    return

    def _line_up(self, call: Call, key: Any) -> None:
        try:
            has_begun = key in self._lines
        except TypeError:
            check_key(key, "map_async: key")
            raise
        if has_begun:
            self._lines[key].append(call)
        else:
            self._lines[key] = deque()
            self._waiting.append(call)
        self._keys[call] = key
        self._not_ended.add(call)

    def _finish(self, call: Call, value: Any, error: BaseException | None) -> None:
        super()._finish(call, value, error)
        if not call.done:  # it is made again, and keeps its turn
            return
        key = self._keys.pop(call)
        if line := self._lines[key]:
            self._waiting.append(line.popleft())
        else:
            del self._lines[key]

    def _in_place_of(self, call: Call) -> Call:
        again = super()._in_place_of(call)
        self._keys[again] = self._keys.pop(call)
        return again

    def release_held(self) -> None:
        super().release_held()
        self._keys = {}
        self._lines = {number: deque() for number in range(len(self._lines))}  # a figure

    def details(self) -> dict[str, Any]:
        return {**super().details(), "keys": len(self._lines)}
