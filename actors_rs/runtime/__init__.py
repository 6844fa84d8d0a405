"""Actors on a shared thread pool. Knows nothing of streams."""

from actors_rs.runtime.actor import PooledActorRef as PooledActorRef
from actors_rs.runtime.dead_letters import DeadLetter as DeadLetter
from actors_rs.runtime.dead_letters import DeadLetters as DeadLetters
from actors_rs.runtime.dispatcher import Dispatcher as Dispatcher
from actors_rs.runtime.dispatcher import DispatcherStatistics as DispatcherStatistics
