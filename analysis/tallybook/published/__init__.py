"""Published studies: what their authors released, and results that are committed."""
