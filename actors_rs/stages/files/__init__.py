"""Files: which ones are read, how they are compressed, and the text, JSON and SQLite in them.

Begin with ``inputs`` (what every source of files takes), ``reading`` (text with its place) and
``json_lines``; ``sqlite_files`` and ``sqlite_readers`` know who reads and writes a database. No
stage and no port here.
"""
