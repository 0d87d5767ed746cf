"""The checks that a study file declares, a module a kind."""
