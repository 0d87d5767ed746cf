"""Bootstrap intervals from counts of distinct values: computed exactly where possible, otherwise simulated."""
