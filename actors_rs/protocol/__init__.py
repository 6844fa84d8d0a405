"""The contract of Reactive Streams: pure, no threads, no actors, no Spark."""

from actors_rs.protocol.demand import UNBOUNDED as UNBOUNDED
from actors_rs.protocol.demand import Demand as Demand
from actors_rs.protocol.interfaces import Processor as Processor
from actors_rs.protocol.interfaces import Publisher as Publisher
from actors_rs.protocol.interfaces import Subscriber as Subscriber
from actors_rs.protocol.interfaces import Subscription as Subscription
