"""The typed language in which users write graphs: ``Source``, ``Flow``, ``Sink``, ``Graph``.

Begin with ``flow.py`` (``Flow`` and ``Source``); each of its bases has the methods of one topic,
from ``methods``. ``graph.py`` is a closed graph, and starts it.

- Make: ``sources`` and ``file_sources`` (methods of ``Source``), ``sink`` and ``file_sinks`` (of
  ``Sink``, with ``sinks``), ``merge_hub``, ``pipe``, ``groups`` (of ``group_by``), ``feedback``
  (loops), ``extension`` (``@operator``).
- Checks: ``running`` (arguments of calls that run a graph), ``initial`` (initial values).

The language describes graphs (``graph``, with logics of ``stages``) and starts them (``engine``,
``runtime``), so it may import these, ``protocol`` and ``unknown_names``. None of them imports it.
"""
