"""The checks that a study file can declare, one module for each kind."""
