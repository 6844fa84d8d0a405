"""The ways to give threads to actors, one a file."""

from actors_rs.runtime.dispatchers.calling_thread import (
    CallingThreadDispatcher as CallingThreadDispatcher,
)
from actors_rs.runtime.dispatchers.pinned import PinnedDispatcher as PinnedDispatcher
from actors_rs.runtime.dispatchers.pool import PoolDispatcher as PoolDispatcher
