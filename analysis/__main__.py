"""`python -m analysis` is the command `tallybook`."""

from analysis.cli import main

main()
