"""Ports: the two ends of a link as a stage sees them.

An ``Inlet`` keeps a window of elements requested from upstream and holds the frames that arrived;
an ``Outlet`` knows the demand from downstream. Both are plain state, touched by one actor only:
what crosses to another actor goes through the ``Upstream`` or ``Downstream`` they are connected
to, which turns calls into messages.

A frame is a sequence of 1..n elements and is never changed once it was emitted. Imports ``chunks``
and ``protocol/demand.py``.
"""

from actors_rs.stages.chunks.peers import Frame as Frame
from actors_rs.stages.ports.inlet import Inlet as Inlet
from actors_rs.stages.ports.outlet import Outlet as Outlet

__all__ = ["Frame", "Inlet", "Outlet"]
