"""Readers: dumps of responses, collected by anyone with any tool, become one frame of responses."""
