"""Reporting checklists answered from a run."""
