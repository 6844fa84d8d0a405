"""Actors on a shared thread pool. Knows nothing of streams.

Begin with ``actors``. ``dispatch`` has threads and timers, ``supervision`` restarts actors,
``system`` ties all together. ``dead_letters``, ``eventing``, ``rate`` (limits that several share)
and ``processes`` (worker processes) serve these. ``memory_budget`` is what links share under a
``memory_limit``. ``_primitives`` is the one module of the package that imports threads, clocks,
queues and chance; ``settings`` checks numbers of users. May import ``protocol``, ``errors``,
``raised`` and ``texts``.
"""

from actors_rs.runtime.actors.actor import PooledActorRef as PooledActorRef
from actors_rs.runtime.dead_letters.dead_letters import DeadLetter as DeadLetter
from actors_rs.runtime.dead_letters.dead_letters import DeadLetters as DeadLetters
from actors_rs.runtime.dispatch.dispatcher import Dispatcher as Dispatcher
from actors_rs.runtime.dispatch.dispatcher import DispatcherStatistics as DispatcherStatistics
