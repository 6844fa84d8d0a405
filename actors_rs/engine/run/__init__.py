"""A run as a whole: its handle, its end, its snapshot, and its watchers.

Begin with ``scope.py``: the state that the stages of a run share, and when the run is over.
``run.py`` is the handle that users hold.

- End: ``end`` (who waits for it), ``waiting`` (which threads must not), ``result``, ``recoveries``
  (failures that do not fail the run), ``grace`` (gives up calls that do not return), ``pending``
  (ends runs that have not begun).
- From outside: ``source_queue`` and ``emitter`` (elements), ``adjusting`` (pause, rate,
  parallelism), ``kill_switch``, ``interrupt`` (Ctrl-C).
- Figures: ``observing`` (reads the stages), ``snapshot`` (the data), ``bottleneck`` (which stage
  limits the rate).
- Watchers: ``stall_watch`` (ends a run that stands still; ``stall`` words it), ``drain_watch``
  (reports whom a drain waits for), ``loop_watch`` (whether a loop is empty).

All of ``engine`` may import it. It imports ``calls``, ``member``, ``run_events`` and ``written`` of
``engine`` (``contract`` and ``timing`` as types), ``inner/totals.py``, ``loops/sink_queue.py``,
``graph``, ``stages`` and ``runtime``.
"""
