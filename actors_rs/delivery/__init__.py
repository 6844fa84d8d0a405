"""Delivery: what is acknowledged, and what a run can be resumed from."""
