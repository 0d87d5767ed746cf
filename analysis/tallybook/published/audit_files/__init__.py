"""The audit of files: reading of their tables and text, and the command `tallybook audit`."""
