"""Graphs: how they are described, made to run, and observed."""
