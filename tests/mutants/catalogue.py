"""The museum: all mutants, room by room."""

from importlib import import_module

from tests.mutants.mutant import Mutant

ROOMS = {
    "ports": "Demand and signals",
    "operators": "Chains",
    "junctions": "Junctions and hubs",
    "inner": "Inner streams, groups and sections",
    "timing": "Time, rates and concurrent calls",
    "calls": "Calls with timeouts and retries",
    "windows": "Windows in time",
    "entries": "Elements from outside the graph",
    "actors": "Actors",
    "threads": "Threads",
    "found": "Found by exploration in this package, and repaired",
}

MUTANTS: dict[str, tuple[Mutant, ...]] = {
    room: import_module(f"tests.mutants.museum.{room}").MUTANTS for room in ROOMS
}
ALL = tuple(one for room in MUTANTS.values() for one in room)
