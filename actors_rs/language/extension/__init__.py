"""Stages of the user's own.

Begin with ``operator.py``. Imports the rest of the language, where nothing imports from here.
"""
