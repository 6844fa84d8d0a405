"""What happens to runs and stages: the table of events, and who is told of them."""
