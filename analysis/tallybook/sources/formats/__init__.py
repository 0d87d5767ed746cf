"""The formats of dump files, a module each: what they are told by, and how their records are read."""
