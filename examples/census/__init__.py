"""The parts of the code census, an ETL job over Python source files.

paths.py lists the files, extract.py measures one of them, job.py spreads that over Spark,
graph.py carries the rows through the actors into storage, outputs.py owns the output
directory, summary.py reads the outputs back.
"""


class BadInputError(Exception):
    """The user's request cannot be done; the text is the one sentence to show."""
