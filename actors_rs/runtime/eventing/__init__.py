"""Events of runs and stages: the table of events, and their listeners."""
