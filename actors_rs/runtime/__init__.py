"""Actors on a shared thread pool. Knows nothing of streams.

Folders, each of which may import those after it: ``system``, ``supervision``, ``actors``, ``rate``,
``dead_letters``, ``dispatch``. Begin with ``actors``. ``_primitives`` is the one module of the
package that imports threads, clocks, queues and chance; ``settings`` checks numbers of users.
"""

from actors_rs.runtime.actors.actor import PooledActorRef as PooledActorRef
from actors_rs.runtime.dead_letters.dead_letters import DeadLetter as DeadLetter
from actors_rs.runtime.dead_letters.dead_letters import DeadLetters as DeadLetters
from actors_rs.runtime.dispatch.dispatcher import Dispatcher as Dispatcher
from actors_rs.runtime.dispatch.dispatcher import DispatcherStatistics as DispatcherStatistics
