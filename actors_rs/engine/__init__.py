"""What runs a blueprint: islands (actors) with their members (stages), and the links between them.

Begin with ``contract.py``, which says what the parts know of each other, then ``island.py``,
``member.py``, ``links.py`` and ``materializer.py``. ``run`` is a run as a whole, ``inner`` streams
that begin while one runs, ``boundary`` the way to foreign Publishers and Subscribers, ``sections``
restarts. ``loops`` is for user code that takes elements out of a run, ``explaining`` writes the
text of ``Graph.explain()``. May import ``graph``, ``stages``, ``runtime`` and what these may; never
``language``.
"""
