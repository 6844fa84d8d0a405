"""The parts of a picture: boxes and arrows."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Arrow", "Box"]


@dataclass(frozen=True, slots=True)
class Box:
    """A stage: its name and, where it runs, figures in further lines."""

    name: str
    notes: tuple[str, ...] = ()
    state: str = "running"

    @property
    def lines(self) -> tuple[str, ...]:
        """All that is written into the box."""
        return (self.name, *self.notes)


@dataclass(frozen=True, slots=True)
class Arrow:
    """A link between two boxes, by their places; ``outlet`` where the first has several."""

    begin: int
    end: int
    outlet: str = ""
    note: str = ""
    starts: bool = False
    """Whether no elements go that way: the first starts the second. Such an arrow is dashed."""

    @property
    def label(self) -> str:
        """The text on the arrow."""
        return ", ".join(part for part in (self.outlet, self.note) if part)
