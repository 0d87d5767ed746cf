"""The implementation of the commands: they call the pipeline, write its results and summarise them."""
