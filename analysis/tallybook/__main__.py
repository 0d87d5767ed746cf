"""Entry point of `python -m tallybook`, which is the command `tallybook`."""

from tallybook.cli.app import main

main()
