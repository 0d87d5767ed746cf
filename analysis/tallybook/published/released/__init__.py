"""What the authors of the published studies released, and how to get it."""
