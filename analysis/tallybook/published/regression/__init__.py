"""Results that are committed: whether they are what a study gives now."""
