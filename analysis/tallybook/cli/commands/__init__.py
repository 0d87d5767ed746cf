"""The work of the commands: they call the pipeline, write its results and sum them up."""
