"""One module an analysis: its declaration, its computation, and what is said of it."""
