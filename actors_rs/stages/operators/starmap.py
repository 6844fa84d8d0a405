"""starmap(pow)

in:  (2, 3) (3, 2) |
out: 8 9 |

Gives each element, a tuple of arguments, through a function.

Back-pressure: asks for its window, as far as downstream asks.
Completes: with upstream.
Fails: with upstream, or when the function raises, after what came before.
Cancels: upstream, when downstream cancels.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import starmap
from typing import Any

from actors_rs.stages.chunks.counted import extend
from actors_rs.stages.inner.inline import InlineStream
from actors_rs.stages.linear import Operator
from actors_rs.texts import repr_of


class Starmap(Operator):
    """``f(*element)`` for each element."""

    runs_user = True
    takes_views = True
    one_for_one = True

    def __init__(self, f: Callable[..., Any]) -> None:
        super().__init__()
        self._f = f

    @staticmethod
    def inline(
        elements: Iterator[Any], stream: InlineStream, step: int, f: Callable[..., Any]
    ) -> Iterator[Any]:
        counts, taken = stream.counts, step - 1
        for counts[taken], element in enumerate(elements, 1):
            try:
                try:
                    result = f(*element)
                except TypeError:
                    _check_arguments(element)
                    raise
            except BaseException as error:
                stream.stumbled(step, error)
                raise
            yield result

    def explained(self, error: Exception, element: Any) -> Exception:
        if issubclass(type(error), TypeError):
            try:
                _check_arguments(element)
            except TypeError as better:
                return better
        return error

    def transform(self, elements: Iterator[Any], /) -> Iterable[Any]:
        return (self._f(*element) for element in elements)  # no StopIteration is lost

    def collect(self, elements: Iterator[Any], out: list[Any], /) -> None:
        # Unlike `map`: bytecode that unpacks arguments does not call a Python function for less.
        extend(out, starmap(self._f, elements), self.drawing, "starmap: f")


def _check_arguments(element: Any) -> None:
    """Raise a ``TypeError`` that says so if ``element`` is nothing to take arguments from."""
    try:
        iter(element)
    except TypeError:
        if not isinstance(element, Iterable):  # else it is a failure of its own
            raise TypeError(
                f"starmap: expected a tuple of arguments, got {repr_of(element)}"
            ) from None
