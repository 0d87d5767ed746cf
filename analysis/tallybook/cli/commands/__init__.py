"""What the commands do: they call the pipeline, write its results and sum them up."""
