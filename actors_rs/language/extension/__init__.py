"""Stages of the user's own.

Begin with ``operator.py``. Imports ``language/flow.py``, ``graph``, ``engine/aside.py`` and
``stages/operators/generated.py``; the rest of the language imports nothing from here.
"""
