"""What is wrong with the syntax of a TOML file, in plain English."""

from __future__ import annotations

import re

from tallybook.core.untrusted import escaped

_PLACE = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")
_KEY = re.compile(r"\((.*)\)")

_MESSAGES = {
    "Invalid statement": "this is neither a setting nor the head of a table; expected `name = value` or `[name]`",
    "Invalid value": "this is not a value; expected text in quotes, a number, true or false, a [list] or a {{table}}",
    "Invalid initial character for a key part": "this is not a name of a setting; expected letters, digits, '_', "
    "'-', or any text in quotes",
    "Expected '=' after a key": "'=' is missing after the name of the setting; expected `name = value`",
    "Expected newline or end of document": "there is something behind the value; expected one setting a line, and text "
    "in quotes",
    "Expected ']' at the end": "the head of the table is not closed; expected ']'",
    "Expected ']]' at the end": "the head of the table is not closed; expected ']]'",
    "Unclosed array": "the list is not closed; expected ',' or ']'",
    "Unclosed inline table": "the table in braces is not closed; expected ',' or '}}', all of it on one line",
    "Unterminated string": "the text in quotes is not closed",
    "Illegal character '\\n'": "the text in quotes is not closed; expected the closing quote on the same line",
    "Unescaped '\\' in a string": "a '\\' is literal only in text in single quotes; expected '...' or '\\\\'",
    "Invalid hex value": "'\\u' must be followed by four hexadecimal digits",
    "Cannot overwrite a value": "this setting is already given above; expected each setting once",
    "Duplicate inline table key": "the table in braces has a setting twice; expected each setting once",
    "Cannot declare": "the table {key} is declared twice; expected all its settings in one place",
    "Cannot mutate immutable namespace": "{key} has all its settings in braces above; expected no more of them here",
    "Cannot redefine namespace": "{key} is declared above already; expected all its settings in one place",
    "Cannot mutate immutable": "{key} is declared above already; expected all its settings in one place",
}
"""How a message of the standard library begins -> what is told instead."""


def syntax_fault(text: str, error: Exception) -> tuple[int, str]:
    """Explain why a text is no TOML.

    >>> import tomllib
    >>> try:
    ...     tomllib.loads("name = small")
    ... except ValueError as error:
    ...     syntax_fault("name = small", error)[0]
    1
    """
    if isinstance(error, RecursionError):
        deepest = max(enumerate(text.split("\n"), start=1), key=lambda line: len(re.findall(r"[\[{]", line[1])))
        return deepest[0], "lists or tables are nested too deeply"
    place = _PLACE.search(str(error))
    if place is None:  # the number is read by the language, not by the parser
        long = max(re.finditer(r"[\d_]+", text), key=lambda found: len(found[0]), default=None)
        line = text.count("\n", 0, long.start()) + 1 if long else 1
        return line, "a number has too many digits"
    told = str(error)[: place.start()]
    line = int(place[1]) if place[1] else text.rstrip().count("\n") + 1
    key = _KEY.search(told)
    name = "[" + ".".join(re.findall(r"'([^']*)'", key[1])) + "]" if key else ""
    if told == "Invalid value" and not place[1]:
        return (
            line,
            "the file ends where a value is expected; expected text in quotes, a number, or what closes a list",
        )
    plain = next(
        (plain for known, plain in _MESSAGES.items() if told.startswith(known)), f"{told[:1].lower()}{told[1:]}"
    )
    plain = plain.format(key=escaped(name)) if plain in _MESSAGES.values() else escaped(plain)
    return line, f"{plain} (column {place[2]})" if place[2] else plain
