"""Printed tables checked without their data: what the numbers say of each other."""
