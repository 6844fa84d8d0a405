"""Descriptions of graphs, before anything runs: stages to be made, blueprints, checks, pictures.

Begin with ``spec.py``, one stage of a blueprint with its attributes, then ``blueprint.py``.
``checks.py`` has the checks of arguments and their messages, ``drawing`` the pictures. May import
``stages``, ``runtime`` and what these may; never ``engine`` or ``language``.
"""
