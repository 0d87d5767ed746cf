"""The command line: each command parses its arguments, calls the library and prints a summary."""

import gc

# Garbage collection among the many objects that imports create takes a tenth of a short command's time.
gc.set_threshold(250_000)
