"""Descriptions of graphs, before anything runs: stages to be made, blueprints, checks, pictures.

Begin with ``spec.py``, one stage of a blueprint with its attributes, then ``blueprint.py``.

- Content of a blueprint: ``fusing`` (which stages share an island), ``envelopes`` (elements with
  acknowledgements), ``results`` (of the sinks), ``names``, ``assembly_site`` (the user's line).
- Checks of arguments: ``checks``, ``file_arguments``, ``windowing`` (options of ``aggregate_by``).
- Paths through a graph: ``loops`` (which loops are refused; ``loop_entry`` and ``loop_exit`` are
  its two checks), ``reconvergent`` (branches that meet again).
- Help in errors: ``junctions`` and ``neighbours`` (names of other libraries) say what to write
  instead, ``pickling`` names a stage that cannot be pickled. Pictures: ``drawing``.

May import ``stages``, ``runtime`` (imports ``settings`` alone), ``unknown_names``, and what these
may; never ``engine`` or ``language``.
"""
