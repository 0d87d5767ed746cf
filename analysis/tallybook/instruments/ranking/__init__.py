"""Rankings: an order of named options."""
