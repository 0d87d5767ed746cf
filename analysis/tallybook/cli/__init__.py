"""The commands of the command line: each reads its arguments, calls the library and says what came of it."""
