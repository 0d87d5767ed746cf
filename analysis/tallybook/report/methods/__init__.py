"""The methods section of a report: the conventions of a study's analyses as prose, with the methods' sources."""
