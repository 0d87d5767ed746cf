"""The output formats of a validation."""
