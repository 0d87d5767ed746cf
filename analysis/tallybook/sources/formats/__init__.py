"""The formats of dump files, a module each: how each is detected and read."""
