"""Tests for differences between levels of a factor: between independent groups, or within shared units."""
