"""A deterministic world: the production runtime in one thread and in virtual time."""

from actors_rs.testing.world.diagram import sequence_diagram as sequence_diagram
from actors_rs.testing.world.log import Delivery as Delivery
from actors_rs.testing.world.world import World as World

__all__ = [
    "Delivery",
    "World",
    "sequence_diagram",
]
