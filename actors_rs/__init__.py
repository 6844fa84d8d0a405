"""actors_rs: Reactive Streams on actors, on a shared thread pool, with Spark as one more source.

>>> from actors_rs import Sink, Source
>>> Source.range(1, 100).filter(lambda n: n % 2 == 0).map(lambda n: n * n).run(Sink.sum())
171700
"""

from actors_rs.engine.run.emitter import Emitter as Emitter
from actors_rs.engine.run.interrupt import StopSignals as StopSignals
from actors_rs.engine.run.kill_switch import KillSwitch as KillSwitch
from actors_rs.engine.run.run import Run as Run
from actors_rs.engine.run.snapshot import RunSnapshot as RunSnapshot
from actors_rs.engine.run.snapshot import StageSnapshot as StageSnapshot
from actors_rs.engine.run.source_queue import SourceQueue as SourceQueue
from actors_rs.language.extension.operator import operator as operator
from actors_rs.language.feedback import Feedback as Feedback
from actors_rs.language.flow import Flow as Flow
from actors_rs.language.flow import Source as Source
from actors_rs.language.graph import Graph as Graph
from actors_rs.language.groups import Group as Group
from actors_rs.language.methods.combining import merge as merge
from actors_rs.language.methods.combining import zip as zip
from actors_rs.language.methods.substreams import amb as amb
from actors_rs.language.methods.substreams import concat as concat
from actors_rs.language.pipe import pipe as pipe
from actors_rs.language.sink import Sink as Sink
from actors_rs.protocol.demand import UNBOUNDED as UNBOUNDED
from actors_rs.protocol.demand import Demand as Demand
from actors_rs.protocol.interfaces import Processor as Processor
from actors_rs.protocol.interfaces import Publisher as Publisher
from actors_rs.protocol.interfaces import Subscriber as Subscriber
from actors_rs.protocol.interfaces import Subscription as Subscription
from actors_rs.protocol.interfaces import is_publisher as is_publisher
from actors_rs.protocol.interfaces import is_subscriber as is_subscriber
from actors_rs.protocol.interfaces import is_subscription as is_subscription
from actors_rs.runtime.actors.actor import PooledActor as PooledActor
from actors_rs.runtime.actors.registry import ActorRegistry as ActorRegistry
from actors_rs.runtime.actors.watch import Terminated as Terminated
from actors_rs.runtime.rate.rate_limit import RateLimit as RateLimit
from actors_rs.runtime.supervision.backoff import Backoff as Backoff
from actors_rs.runtime.supervision.child_spec import ChildSpec as ChildSpec
from actors_rs.runtime.supervision.child_spec import Supervisor as Supervisor
from actors_rs.runtime.supervision.strategies import OneForAll as OneForAll
from actors_rs.runtime.supervision.strategies import OneForOne as OneForOne
from actors_rs.runtime.supervision.strategies import RestForOne as RestForOne
from actors_rs.runtime.supervision.supervisor_ref import SupervisorRef as SupervisorRef
from actors_rs.runtime.system.system import ActorSystem as ActorSystem
from actors_rs.stages.files.bad_row import BadRow as BadRow
from actors_rs.stages.operators.monitor import StreamState as StreamState
from actors_rs.stages.sinks.files.writing import WriteReport as WriteReport
from actors_rs.stages.windows.results import WindowResult as WindowResult

# Without ``zip``: a star import would put it in the place of Python's own.
__all__ = [
    "UNBOUNDED",
    "ActorRegistry",
    "ActorSystem",
    "Backoff",
    "BadRow",
    "ChildSpec",
    "Demand",
    "Emitter",
    "Feedback",
    "Flow",
    "Graph",
    "Group",
    "KillSwitch",
    "OneForAll",
    "OneForOne",
    "PooledActor",
    "Processor",
    "Publisher",
    "RateLimit",
    "RestForOne",
    "Run",
    "RunSnapshot",
    "Sink",
    "Source",
    "SourceQueue",
    "StageSnapshot",
    "StopSignals",
    "StreamState",
    "Subscriber",
    "Subscription",
    "Supervisor",
    "SupervisorRef",
    "Terminated",
    "WindowResult",
    "WriteReport",
    "amb",
    "concat",
    "is_publisher",
    "is_subscriber",
    "is_subscription",
    "merge",
    "operator",
    "pipe",
]
__version__ = "0.1.0"
