"""Descriptions of graphs, before anything runs: stages to be made, blueprints, checks, pictures.

Begin with ``spec.py``, one stage of a blueprint, then ``blueprint.py``. May import ``stages``,
``runtime`` and what these may; never ``engine`` or ``language``.
"""
