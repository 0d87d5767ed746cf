"""Utilities for all parts of Tallybook: errors, output, progress, untrusted text and data larger than memory."""
