"""Word associations: a word for each stimulus."""
