"""Worker processes and their like, as stages see them: plain values and types.

``chunk_size.py`` decides how many elements go to a worker at a time; ``surroundings.py`` has the
types of what a ``StageContext`` gives access to. Imports no other folder. The workers themselves
are in ``runtime/processes``.
"""
