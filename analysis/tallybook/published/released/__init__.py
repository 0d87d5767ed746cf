"""The released data of the published studies: listed, compared and downloaded."""
