"""Exploration: one scenario in thousands of deterministic worlds, until it fails or holds.

Begin with ``decorator.py`` (what a test writes) and ``search.py`` (run after run). ``systematic``
and ``portfolio`` choose the next run, ``shrink`` finds the fewest choices that still fail, and
``free`` has peers that use every freedom of the standard. Imports ``testing.world``.
"""

from actors_rs.testing.explore.decorator import check_scenario as check_scenario
from actors_rs.testing.explore.decorator import explore as explore
from actors_rs.testing.explore.free import FreePublisher as FreePublisher
from actors_rs.testing.explore.free import FreeSubscriber as FreeSubscriber
from actors_rs.testing.explore.search import Exploration as Exploration
from actors_rs.testing.explore.search import Plan as Plan
from actors_rs.testing.explore.search import replay as replay
from actors_rs.testing.explore.search import search as search
from actors_rs.testing.explore.systematic import BoundedDfs as BoundedDfs
from actors_rs.testing.explore.systematic import Exhaustive as Exhaustive
from actors_rs.testing.explore.traces import Trace as Trace

__all__ = [
    "BoundedDfs",
    "Exhaustive",
    "Exploration",
    "FreePublisher",
    "FreeSubscriber",
    "Plan",
    "Trace",
    "check_scenario",
    "explore",
    "replay",
    "search",
]
