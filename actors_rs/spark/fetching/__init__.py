"""Fetching: how the rows of one partition come to the driver.

Begin with ``partitions``; ``arrow_route`` runs a job for a partition, ``connect_back`` streams a
huge one from the executor in pieces. Knows nothing of stages.
"""
