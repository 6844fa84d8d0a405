"""A run as a whole: its handle, its end and its snapshot.

Begin with ``scope.py``: the state that the stages of a run share, and when the run is over.
``run.py`` is the handle that users hold.

- End: ``end`` (who waits for it), ``waiting`` (which threads must not), ``result``, ``recoveries``
  (failures that do not fail the run), ``grace`` (gives up calls that do not return), ``pending``
  (ends runs that have not begun).
- From outside: ``source_queue`` and ``emitter`` (elements), ``adjusting`` (pause, rate,
  parallelism), ``kill_switch``, ``interrupt`` (Ctrl-C).
- Figures: ``observing`` (reads the stages), ``snapshot`` (the data), ``bottleneck`` (which stage
  limits the rate).

All of ``engine`` may import it. It imports ``calls``, ``member``, ``run_events`` and ``written`` of
``engine`` (``contract`` and ``timing`` as types), ``watching``, ``inner/totals.py``,
``loops/sink_queue.py``, ``graph``, ``stages`` and ``runtime``.
"""
