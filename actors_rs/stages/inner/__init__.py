"""Inner streams and groups: what stages have in common that run streams of their own.

Begin with ``hosting`` (inlets that come and go) and ``groups`` (outlets that come and go);
``handoff`` is how an outlet becomes somebody else's source. May import ``ports`` and ``stage``.
"""
