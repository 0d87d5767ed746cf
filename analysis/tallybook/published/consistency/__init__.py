"""Printed numbers held against each other: what they say about themselves, whatever the data were."""
