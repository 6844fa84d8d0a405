"""Sections: stages that share a failure policy, or that fail and restart together.

Begin with ``planning.py``, which finds the stages; ``section.py`` is the stage that runs them,
``scope.py`` is one attempt of them. May import what ``engine`` may.
"""
