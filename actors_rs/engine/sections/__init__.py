"""Sections: stages that share a failure policy, or that fail and restart together.

Begin with ``planning.py``, which finds the stages; ``section.py`` is the stage that runs them,
``scope.py`` is one attempt of them. Imports ``layout`` and ``written`` of ``engine``,
``run/grace.py``, ``graph``, ``stages`` and ``runtime``; ``contract`` and ``inner`` as types.
"""
