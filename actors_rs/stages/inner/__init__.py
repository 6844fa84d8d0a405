"""Inner streams and groups: what stages have in common that run streams of their own.

Begin with ``logic`` (inlets that come and go) and ``groups`` (outlets that come and go);
``handoff`` is how an outlet becomes the source of another stream. May import ``ports`` and
``stage``.
"""
