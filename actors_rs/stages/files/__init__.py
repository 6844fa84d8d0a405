"""Files: reading and writing text, JSON lines and SQLite, below the stages that do so.

Begin with ``reading`` (text with its place) and ``json_lines``; ``sqlite_files`` and
``sqlite_readers`` know who reads and writes a database. No stage and no port here.
"""
