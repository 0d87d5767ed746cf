"""The formats in which a validation is told, a module each."""
