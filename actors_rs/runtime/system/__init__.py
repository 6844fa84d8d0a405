"""Actor systems: begin, end, signals, fork, and the tree of what lives in one.

Begin with ``system``.

- Start: ``current`` and ``default_system`` (the system if none is named), ``admission`` (which
  actors), ``startable`` (the contract of streams), ``guardian`` (the entry in pykka's registry).
- End: ``blocks`` (``with``) and ``ending`` begin it, ``signals`` lead there, ``shutdown`` has its
  phases, ``stopping`` the order of actors, ``parts`` the contract of a system for these modules.
- The process: ``exit`` and ``fork``. Figures: ``statistics``, ``tree``, ``notebook``. Options of
  the command line: ``command``. ``condition`` is how a thread waits so that an interrupt is safe.

The top of the runtime: may import all its other folders (it does not import ``processes`` and
``rate``). Folders further down import ``condition``, ``fork``, ``statistics``, ``exit``,
``guardian`` and ``default_system``.
"""
