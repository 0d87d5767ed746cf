"""Study files: found, read, changed by settings, checked, and every fault in them told with its line."""
