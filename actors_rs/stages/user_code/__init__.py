"""Code of the user's that goes on while its stage does other things: coroutines and generators.

Begin with ``async_elements``. Imports the modules of ``stages`` that know no stage, and nothing of
``engine``; sources and operators import from here.
"""
