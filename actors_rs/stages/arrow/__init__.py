"""Arrow: schemas, rows and values, as files and Spark need them.

Begin with ``schema`` (what data has to fit) and ``match`` (the rule). ``rows`` makes batches of
rows and refuses a value that would be written as another one; ``values`` makes the arrays,
``nulls`` finds nulls that the schema forbids. Imports no other folder, and pyarrow only when it is
called.
"""
