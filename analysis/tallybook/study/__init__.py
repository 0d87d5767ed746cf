"""Study files: found, read, changed by settings and checked; every fault is reported with its line."""
