"""A study's results written: numbers, tables and figures, the report, and a manifest of what they were made from."""
