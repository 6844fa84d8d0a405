"""The same work as one would write it without this package: other libraries, ``itertools``.

Begin with ``peers``. Imports ``stress.bench.pipeline`` for the functions that all of them call.
"""
