"""Statistics: from tallies to estimates, for all cells at once and whatever the number of responses."""
