"""The audit of files: what is read of them, and the command."""
