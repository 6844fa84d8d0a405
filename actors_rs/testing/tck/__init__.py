"""A conformance kit for pytest, for anybody's Publisher, Subscriber or Processor.

Begin with ``verification.py`` (the life of a test). The tests are in ``publisher`` and
``publisher_*``, ``subscriber_*``, and ``processor``. Their peers, ``manual`` and ``upstream``, note
signals that break a rule; ``environment`` keeps time and the notes. ``report`` and ``runner`` give
verdicts without pytest. Imports nothing of ``engine`` or ``stages``: it tests the code of others
too.
"""

from actors_rs.testing.tck.environment import Environment as Environment
from actors_rs.testing.tck.environment import Failure as Failure
from actors_rs.testing.tck.environment import Latch as Latch
from actors_rs.testing.tck.environment import NotVerified as NotVerified
from actors_rs.testing.tck.manual import ManualSubscriber as ManualSubscriber
from actors_rs.testing.tck.probe import SubscriberPuppet as SubscriberPuppet
from actors_rs.testing.tck.probe import WhiteboxProbe as WhiteboxProbe
from actors_rs.testing.tck.processor import (
    IdentityProcessorVerification as IdentityProcessorVerification,
)
from actors_rs.testing.tck.publisher import PublisherVerification as PublisherVerification
from actors_rs.testing.tck.runner import Outcome as Outcome
from actors_rs.testing.tck.runner import run_verification as run_verification
from actors_rs.testing.tck.signals import Signal as Signal
from actors_rs.testing.tck.subscriber_blackbox import (
    SubscriberBlackboxVerification as SubscriberBlackboxVerification,
)
from actors_rs.testing.tck.subscriber_whitebox import (
    SubscriberWhiteboxVerification as SubscriberWhiteboxVerification,
)
from actors_rs.testing.tck.upstream import Upstream as Upstream

__all__ = [
    "Environment",
    "Failure",
    "IdentityProcessorVerification",
    "Latch",
    "ManualSubscriber",
    "NotVerified",
    "Outcome",
    "PublisherVerification",
    "Signal",
    "SubscriberBlackboxVerification",
    "SubscriberPuppet",
    "SubscriberWhiteboxVerification",
    "Upstream",
    "WhiteboxProbe",
    "run_verification",
]
