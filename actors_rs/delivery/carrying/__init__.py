"""How stages carry tokens: for each kind of stage a variant that keeps them with their elements.

Begin with ``envelope_rules.py``, which says what each stage becomes, and which stages are refused.
Then ``operator.py`` (elements one by one) and ``units.py`` (sinks that write a unit as a whole).
May import ``delivery.ack``, ``delivery.outputs`` and ``stages``; nothing else of ``delivery``.
"""
