"""The released data of published studies: lists, comparison and download."""
