"""The audit of printed tables without their data: whether the numbers are consistent with each other."""
