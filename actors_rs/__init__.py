"""actors_rs: Reactive Streams on actors."""
