"""The typed language in which users write graphs: ``Source``, ``Flow``, ``Sink``, ``Graph``.

Begin with ``flow.py``; each of its bases has the methods of one topic. The language describes
graphs (``graph``) and starts them (``engine``), so it may import both, and neither imports it.
"""
