"""Inner streams and groups: what stages have in common that run streams of their own.

Begin with ``logic`` (inlets that come and go) and ``groups`` (outlets that come and go), which
``group_room`` and ``idle_groups`` bound. ``inner_ports`` and ``port_set`` are their ports,
``handoff`` is how an outlet becomes the source of another stream, ``inline`` is a stream that its
host iterates over. ``engine/inner`` runs the streams. Imports ``ports``, ``chunks``, and
of ``stages`` ``stage``, ``alarm`` and ``iterators``.
"""
