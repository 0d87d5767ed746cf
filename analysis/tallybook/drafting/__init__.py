"""A study file drafted from a dump that nobody has described yet: what is in it, and what that may be."""
