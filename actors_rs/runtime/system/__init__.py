"""Actor systems: begin, end, signals, and the tree of what lives in one.

Begin with ``system``.

- Start: ``current`` and ``default_system`` (the system if none is named), ``admission`` (which
  actors), ``startable`` (the contract of streams), ``guardian`` (the entry in pykka's registry).
- End: ``blocks`` (``with``) and ``ending`` begin it, ``signals`` lead there, ``shutdown`` has its
  phases, ``stopping`` the order of actors, ``parts`` the contract of a system for these modules.
- The process: ``exit``. Figures: ``statistics``, ``tree``, ``notebook``. Options of the command
  line: ``command``.

The top of the runtime: may import all its other folders (it does not import ``processes`` and
``rate``). ``actors`` imports ``statistics``, ``exit``, ``guardian`` and ``default_system``.
"""
