"""Calls of a user's function that may take their time: how ``map_async`` keeps them.

Begin with ``call.py``. ``limit.py`` says how long one may take, ``retries.py`` which of them are
made again.
"""
