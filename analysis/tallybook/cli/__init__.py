"""The command line: each command parses its arguments, calls the library and prints a summary."""

import atexit
import gc
import os

# Garbage collection among the many objects that imports create takes a tenth of a short command's time, and the last
# one, when the process ends, another tenth.
gc.set_threshold(250_000)
atexit.register(gc.freeze)
# Threads of linear algebra, one for each processor, start with the import of numpy and wait in a loop.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
