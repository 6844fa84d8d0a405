"""The ways to give threads to actors, one a file."""
