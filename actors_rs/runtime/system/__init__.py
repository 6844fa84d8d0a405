"""Actor systems: begin, end, signals, fork, and the tree of what lives in one.

Begin with ``system``. Its end: ``blocks`` (``with``) and ``ending`` begin it, ``shutdown`` has its
phases, ``signals`` lead there; ``fork`` and ``exit`` see to child processes and the end of the
process. The top of the runtime: may import all its other folders.
"""
