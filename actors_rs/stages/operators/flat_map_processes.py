"""flat_map_processes(str.split, workers=2)

    in:  "a b" "c" |
    out: a b c |    (in two processes)

Gives the elements of each iterable that a function returns. Function and iterable run in worker
processes, on all cores; see map_processes.

Back-pressure: as map_processes; an iterable is gone through in its worker before its first element
  is given.
Completes: when upstream has completed and all results were given.
Fails: as map_processes, also when the iterable raises.
Cancels: as map_processes.
"""

from __future__ import annotations

from actors_rs.stages.operators.map_processes import MapProcesses

__all__ = ["FlatMapProcesses"]


class FlatMapProcesses(MapProcesses):
    """As ``MapProcesses``, with the elements of the results."""

    flat = True
    conserves = False
