"""A conformance kit for pytest, for anybody's Publisher: ours or foreign."""

from actors_rs.testing.tck.environment import Environment as Environment
from actors_rs.testing.tck.environment import Failure as Failure
from actors_rs.testing.tck.environment import Latch as Latch
from actors_rs.testing.tck.environment import NotVerified as NotVerified
from actors_rs.testing.tck.manual import ManualSubscriber as ManualSubscriber
from actors_rs.testing.tck.publisher import PublisherVerification as PublisherVerification
from actors_rs.testing.tck.signals import Signal as Signal
