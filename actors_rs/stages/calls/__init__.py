"""User code that goes on while its stage does other things: calls, and async iterables.

Begin with ``call.py``: how ``map_async`` keeps a call. ``limit.py`` says how long a call may take,
``retries.py`` which calls are made again, ``fallback.py`` what replaces the others.
``async_elements.py`` draws an async iterable on demand. Imports ``context``, ``iterators`` and
``stage`` of ``stages``, and no other folder.
"""
