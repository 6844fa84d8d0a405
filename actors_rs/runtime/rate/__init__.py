"""Rates: limits that several stages or actors share.

Begin with ``rate_limit``; ``token_bucket`` is its arithmetic, pure; ``listeners`` wakes waiting
stages. Imports ``_primitives``, ``settings`` and ``fork``. Knows nothing of actors.
"""
