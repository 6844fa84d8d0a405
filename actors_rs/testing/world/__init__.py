"""A deterministic world: the production runtime in one thread and in virtual time.

Begin with ``world.py`` (what a test uses), then ``dispatcher.py`` and ``steps.py`` (which step is
next). ``clock``, ``jobs`` and ``loop`` replace the clock, threads that may block, and the event
loop. ``conservation`` checks that no element vanishes. ``waits`` says which actor waits for which
when nothing can run; ``log`` and ``diagram`` show a run.
"""

from actors_rs.testing.world.diagram import sequence_diagram as sequence_diagram
from actors_rs.testing.world.log import Delivery as Delivery
from actors_rs.testing.world.world import World as World

__all__ = [
    "Delivery",
    "World",
    "sequence_diagram",
]
