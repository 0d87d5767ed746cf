"""The published studies' declarations: data, not code."""
