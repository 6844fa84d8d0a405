"""``Group``: what ``group_by`` gives, a source with a key."""

from __future__ import annotations

from typing import Generic, Never, TypeVar

from actors_rs.graph.spec import OutletRef
from actors_rs.language.flow import Flow
from actors_rs.language.methods.chain import Chain
from actors_rs.stages.inner.groups import OVERFLOW
from actors_rs.texts import repr_of

__all__ = ["Group"]

K = TypeVar("K")
T_co = TypeVar("T_co", covariant=True)


class Group(Flow[Never, T_co], Generic[K, T_co]):
    """The elements of one key, as a source that can be run once.

    ``key`` is the key, ``out`` the outlet of the stage that makes the group. Run a group soon: its
    elements are held until then. When a window of elements is held, other groups wait, too.

    >>> words = Source.of("ant", "bee", "asp").group_by(lambda word: word[0], max_groups=26)
    >>> counts = words.flat_map(lambda g: g.count().map(lambda n: (g.key, n)), breadth=26)
    >>> sorted(counts.run(Sink.list()))
    [('a', 2), ('b', 1)]
    """

    __slots__ = ("key",)

    def __init__(self, key: K, out: OutletRef) -> None:
        super().__init__(out)
        self.key = key

    def __repr__(self) -> str:
        return f"<Group {repr_of(self.key)}>"

    @property
    def is_overflow(self) -> bool:
        """Whether this is the group for all keys that have none, with ``on_overflow="divert"``.

        >>> groups = Source.of("a", "b").group_by(str, max_groups=1, on_overflow="divert")
        >>> tagged = groups.flat_map(lambda g: g.map(lambda x: (x, g.is_overflow)), breadth=2)
        >>> sorted(tagged.run(Sink.list()))
        [('a', False), ('b', True)]
        """
        return self.key is OVERFLOW


Chain._group = Group
