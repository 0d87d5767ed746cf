"""Bootstrap intervals from counts of distinct values: computed where they can be, else simulated."""
