"""`python -m tallybook` is the command `tallybook`."""

from tallybook.cli.app import main

main()
