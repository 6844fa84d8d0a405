"""Rates: limits that several stages or actors share.

Begin with ``rate_limit``; ``token_bucket`` is its arithmetic, pure; ``listeners`` wakes those that
wait. Knows nothing of actors.
"""
