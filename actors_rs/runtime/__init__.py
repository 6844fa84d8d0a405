"""Actors on a shared thread pool. Knows nothing of streams.

Begin with ``actors``. ``dispatch`` has threads and timers, ``supervision`` restarts actors,
``system`` ties all together. ``dead_letters``, ``eventing``, ``rate`` (limits that several share)
and ``processes`` (worker processes) serve these. ``memory_budget`` is what links share under a
``memory_limit``, ``settings`` checks numbers of users, ``_logging`` has loggers that never raise.
``condition`` waits so that an interrupt is safe, ``fork`` renews locks in a child process,
``overridable`` is a property that users may replace.
``_primitives`` is the one module that imports ``threading``, ``time``, ``queue`` and ``random``,
apart from ``processes/worker.py``, which runs in another process. May import ``protocol``,
``errors``, ``raised`` and ``texts``; import lists of the folders below leave out the last three.
"""

from actors_rs.runtime.actors.actor import PooledActorRef as PooledActorRef
from actors_rs.runtime.dead_letters.dead_letters import DeadLetter as DeadLetter
from actors_rs.runtime.dead_letters.dead_letters import DeadLetters as DeadLetters
from actors_rs.runtime.dispatch.dispatcher import Dispatcher as Dispatcher
from actors_rs.runtime.dispatch.dispatcher import DispatcherStatistics as DispatcherStatistics
