"""The contract of Reactive Streams: pure, no threads, no actors, no Spark."""
