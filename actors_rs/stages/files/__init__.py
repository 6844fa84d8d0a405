"""Files: which ones are read, how they are compressed, and the text, JSON and SQLite in them.

Begin with ``inputs`` (what every source of files takes) and ``source`` (the base of these sources).
``matching`` finds files by a pattern, ``reading`` has text with its place, ``bytes_read`` the
progress, ``compression`` both ways, ``naming`` puts the file's name into errors of writing.
``csv_rows``, ``bad_row`` and ``json_lines`` know formats; ``sqlite_files``, ``sqlite_readers`` and
``sqlite_locks`` know who reads and writes a database. No port here. Imports ``source`` and
``iterators`` of ``stages``.
"""
