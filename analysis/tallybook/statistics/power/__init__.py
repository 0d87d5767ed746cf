"""The smallest effect that a cell can detect at its size."""
