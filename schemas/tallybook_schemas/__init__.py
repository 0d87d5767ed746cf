"""What crosses a stage boundary: pandera models of every frame, and the study file."""
