"""What runs in an actor: stages as pure logic on ports, one stage a file.

Begin with ``stage`` (the contract), ``context`` (what a logic may ask of its surroundings) and the
folder ``ports``, then ``linear`` (the base of most operators and sinks).

- Other bases: ``source``, ``chunked`` (under ``linear``), ``passing`` (elements stay as they are),
  ``prologue_epilogue`` (elements before the first or after the last), ``chunk_fold`` (one result of
  all), ``junction``.
- Parts of stages: ``failure`` (policies), ``alarm`` (a timer), ``iterators`` and ``functions`` (of
  the user), ``load`` and ``latencies`` (how busy a stage is).
- Stages: ``sources``, ``operators``, ``junctions``, ``hubs``, ``sinks``. Folders that they share:
  ``chunks``, ``inner``, ``calls``, ``files``, ``arrow``, ``windows`` (of time), ``processes``.

May import ``protocol``, ``errors``, ``raised`` and ``texts``, and no thread, clock or actor; the
import lists of the folders below leave out the last three modules.
"""
