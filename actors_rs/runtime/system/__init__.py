"""Actor systems: begin, end, signals, fork, and the tree of what lives in one.

Begin with ``system``; ``shutdown`` orders its end, ``signals`` lead there,
``forked`` and ``process`` see to child processes and the exit. The top of the runtime: may import
all its other folders.
"""
