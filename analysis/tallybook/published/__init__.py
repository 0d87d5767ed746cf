"""Published studies: their released data, audits and comparisons of printed numbers, and committed results."""
