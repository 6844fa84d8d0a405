"""Sinks, one a file."""
