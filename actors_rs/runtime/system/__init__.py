"""Actor systems: begin, end, signals, fork, and the tree of what lives in one.

Begin with ``system``; ``shutdown`` orders its end, ``signals`` lead there, ``fork`` and ``exit``
see to child processes and the end of the process. The top of the runtime: may import all its other
folders.
"""
