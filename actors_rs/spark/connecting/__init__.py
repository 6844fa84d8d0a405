"""Spark Connect: a DataFrame of a remote session is one query, read as its batches come.

Begin with ``source``; ``query`` and ``server`` talk to the server, ``failures`` and ``liveness``
say what went wrong and whether it still answers.
"""
