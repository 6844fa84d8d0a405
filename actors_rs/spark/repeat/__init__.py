"""Whether each partition of a Spark plan holds the same rows in every process, and the proof of it.

A ledger says "partition 3 is done". That is worth something only if partition 3 of the next process
holds the same rows. Begin reading in `rules`, which judges a physical plan; `nodes` reads plans and
`lineage` RDDs; `fixing` fixes what Spark would decide anew in each run and notes what it decided.
`checksum` proves it afterwards, by partitions that are computed again. May import nothing of
``actors_rs`` but its errors.
"""
