"""The analyses of study files, one module for each kind: declaration, computation, and texts for notes and methods."""
