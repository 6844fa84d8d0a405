"""Junctions, one a file: more than one inlet or more than one outlet.

Begin with ``merge`` and ``broadcast``; ``stages/junction.py`` is the base of most of them. Several
inlets: ``merge*``, ``zip*``, ``concat``, ``interleave``, ``combine_latest``, ``amb``. Several
outlets: ``broadcast``, ``balance``, ``partition``, ``unzip``, ``also_to``, ``divert_to``,
``wire_tap``. ``feedback`` closes a loop, ``sink_and_source`` makes a flow of a sink and a source.
Stages whose inlets or outlets come and go are operators (``flat_map_merge``, ``group_by``) or hubs.
Imports modules of ``stages``, ``ports``, ``chunks`` and ``inner``.
"""
