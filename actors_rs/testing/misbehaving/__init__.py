"""Violators: each breaks one rule, says which, and which test of the kit catches it.

They are for testing what has to stand up to them: the kit itself, and one's own streams. Begin with
``base.py``; the other modules have a kind of peer each.
"""

from actors_rs.testing.misbehaving.base import MisbehavingProcessor as MisbehavingProcessor
from actors_rs.testing.misbehaving.base import MisbehavingPublisher as MisbehavingPublisher
from actors_rs.testing.misbehaving.base import MisbehavingSubscriber as MisbehavingSubscriber
from actors_rs.testing.misbehaving.base import Violator as Violator
from actors_rs.testing.misbehaving.failures import FAILED_PUBLISHERS as FAILED_PUBLISHERS
from actors_rs.testing.misbehaving.processors import PROCESSORS as PROCESSORS
from actors_rs.testing.misbehaving.publishers import PUBLISHERS as PUBLISHERS
from actors_rs.testing.misbehaving.subscribers import SUBSCRIBERS as SUBSCRIBERS
from actors_rs.testing.misbehaving.subscriptions import SUBSCRIPTIONS as SUBSCRIPTIONS

__all__ = [
    "FAILED_PUBLISHERS",
    "PROCESSORS",
    "PUBLISHERS",
    "SUBSCRIBERS",
    "SUBSCRIPTIONS",
    "MisbehavingProcessor",
    "MisbehavingPublisher",
    "MisbehavingSubscriber",
    "Violator",
]
