"""Other libraries' streams, queues and futures as sources and sinks: one module for each library.

Import the module that you need, for instance ``from actors_rs.interop.queues import from_queue``:
each loads its library only then. Modules import ``language`` and below, and nothing of each other.
"""
