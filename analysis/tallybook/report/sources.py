"""Assembly of a report's sources: includes are expanded and shortcodes parsed; each line keeps its original place."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypedDict, cast

from tallybook.core.errors import ReportError
from tallybook.core.untrusted import printable

# Private-use characters around a number: pandoc treats them as letters, and the Lua filter finds them again.
OPEN, CLOSE = "\ue000", "\ue001"

MOST = 2**26
"""The maximum length of a document with its includes, in characters, where each line counts as 64 more."""

_FENCE = re.compile(r"^\s*(`{3,}|~{3,})\s*(.*?)\s*$")
# Quarto looks for code cells line by line, whatever the context: in block quotes, and in other code.
_CELL = re.compile(r"^[\s>]*(?:`{3,}|~{3,})\s*\{+\s*[A-Za-z]|`\{+\s*[A-Za-z]\w*\s*\}")
_SHORTCODE = re.compile(r"\{\{\{<\s*(?P<literal>.*?)\s*>\}\}\}|\{\{<\s*(?P<call>.*?)\s*>\}\}")
_PLACEHOLDER = re.compile(f"{OPEN}[0-9]+{CLOSE}")
_LITERAL = re.compile(r"\{(\{\{<.*?>\}\})\}")
_SPLIT = re.compile(r"\A---[ \t]*\n(?![ \t]*\n)(.*?\n)?(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
# Quarto also looks for metadata line by line, after removing comments and some code.
_METADATA = re.compile(r"---\s*\Z|-{1,3}<!--|.*-->-", re.DOTALL)
_TYPST = re.compile(r"\{\s*=\s*typst")
_CUT_OUT = re.compile(r"<!--|```|[\v\f\x1c-\x1e\x85\u2028\u2029]")


class Placeholder(TypedDict, total=False):
    """The replacement of a shortcode by the Lua filter: a variable's Markdown or a literal text."""

    place: str
    shortcode: str
    name: str
    markdown: str
    literal: str


@dataclass(frozen=True)
class Line:
    """A line of the assembled document, with its original file and line number."""

    text: str
    file: str
    number: int

    @property
    def place(self) -> str:
        """The line's file and number, as the beginning of a message."""
        return f"{self.file}:{self.number}: "


@dataclass
class Sources:
    """A document with everything it includes."""

    front: str  # the YAML text between the document's `---` lines
    lines: list[Line] = field(default_factory=list[Line])  # the lines of the body
    # the replacements of the shortcodes, in the order of their numbers (from 1)
    placeholders: list[Placeholder] = field(default_factory=list[Placeholder])

    @property
    def body(self) -> str:
        """The Markdown text that pandoc reads."""
        return "".join(f"{line.text}\n" for line in self.lines)

    def place(self, needle: str, *, last: bool = False) -> str:
        """Return the place of a text as "file:line: "; empty if it is not found."""
        found = [line for line in self.lines if needle and needle in line.text]
        return found[-1 if last else 0].place if found else ""


def read(project: Path, document: str, variables: Mapping[str, object]) -> Sources:
    """Read a document and everything it includes.

    Includes are resolved as in Quarto: relative to the folder of the main document, whichever file includes, or to
    the project's folder if the path begins with "/".
    """
    text = _text(project / document, document)
    front = _SPLIT.match(text)
    if not front:
        raise ReportError(f"{document}:1: a report begins with front matter between --- lines")
    if found := _CUT_OUT.search(front[0]):
        line = front[0].count("\n", 0, found.start()) + 1
        raise ReportError(
            f"{document}:{line}: {printable(found[0])} in front matter, which Quarto would read otherwise"
        )
    sources = Sources(front=front[1] or "")
    reader = _Reader(project, document, variables, sources)
    reader.take(text[front.end() :], document, text.count("\n", 0, front.end()) + 1, [document])
    return sources


def refuse_typst(sources: Sources, document: str) -> None:
    """Refuse raw typst: it is a program, which may run for ever, take all memory and fetch packages."""
    front = [Line(text, document, number) for number, text in enumerate(sources.front.splitlines(), start=2)]
    for at in (*front, *sources.lines):
        if _TYPST.search(at.text):
            raise _refused(at, "raw typst, which is a program: --trust lets your own through")


def front_matter(text: str) -> str:
    """Return the YAML text between the `---` lines at the beginning of a document; empty without them."""
    front = _SPLIT.match(text)
    return (front[1] or "") if front else ""


def fill(at: Line, variables: Mapping[str, object], sources: Sources) -> str:
    """Return a text of the front matter with placeholders for its shortcodes."""
    return _Reader(Path(), at.file, variables, sources).inline(at)


class _Reader:
    def __init__(self, project: Path, document: str, variables: Mapping[str, object], sources: Sources) -> None:
        self.project = project
        self.base = (project / document).parent
        self.variables = variables
        self.sources = sources
        self.room = MOST

    def take(self, text: str, file: str, first: int, chain: list[str]) -> None:
        """Append the lines of a text, with includes expanded and shortcodes replaced."""
        fence = ""
        for number, line in enumerate(text.splitlines(), start=first):
            at = Line(line, file, number)
            self.room -= len(line) + 64
            if self.room < 0:
                raise _refused(at, "the document and what it includes are too long")
            if _PLACEHOLDER.search(line):
                raise _refused(at, "private characters (U+E000 and U+E001) around a number")
            if _METADATA.match(line):
                raise _refused(at, "a line --- (metadata to Quarto): write *** for a rule; in code, indent it")
            if _CELL.search(line):
                raise _refused(at, f"an executable code cell, {printable(line.strip())}: reports hold no code")
            opening = _FENCE.match(line)
            if fence:
                self.sources.lines.append(self.code(at))
                if opening and not opening[2] and opening[1].startswith(fence):
                    fence = ""
            elif opening and not (opening[1][0] == "`" and "`" in opening[2]):
                fence = opening[1]
                self.sources.lines.append(at)
            else:
                self.prose(at, chain)

    def code(self, at: Line) -> Line:
        """Return a line of a code block with escaped shortcodes unescaped; refuse other shortcodes."""
        rest = _LITERAL.sub("", at.text)
        if "{{<" in rest:
            raise _refused(at, "a shortcode in code: write {{{< ... >}}} to show it")
        return Line(_LITERAL.sub(r"\1", at.text), at.file, at.number)

    def prose(self, at: Line, chain: list[str]) -> None:
        """Append a line outside code, or what its include or page break expands to."""
        alone = _SHORTCODE.fullmatch(at.text.strip())
        words = (alone["call"] or "").split() if alone else []
        if words[:1] == ["include"]:
            self.include(at, words[1:], chain)
        elif words[:1] == ["pagebreak"]:
            if len(words) > 1:
                raise _refused(at, "the shortcode pagebreak takes no argument")
            for text in ("", "```{=tallybook}", "pagebreak", "```", ""):
                self.sources.lines.append(Line(text, at.file, at.number))
        else:
            self.sources.lines.append(Line(self.inline(at), at.file, at.number))

    def include(self, at: Line, arguments: list[str], chain: list[str]) -> None:
        """Append the lines of another file."""
        if len(arguments) != 1:
            raise _refused(at, "the shortcode include takes one path")
        written = arguments[0].strip("\"'")
        path = (self.project / written[1:] if written.startswith("/") else self.base / written).resolve()
        if not path.is_relative_to(self.project.resolve()):
            raise _refused(at, f"the included file {printable(written, 200)} lies outside the project")
        file = path.relative_to(self.project.resolve()).as_posix()
        if file in chain:
            raise _refused(at, f"a circular include: {' -> '.join([*chain, file])}")
        if not path.is_file():
            raise _refused(at, f"the included file {printable(written, 200)} does not exist")
        text = _text(path, file)
        if _SPLIT.match(text):
            raise ReportError(f"{file}:1: front matter in an included file")
        self.take(text, file, 1, [*chain, file])
        # Quarto separates an included file from what follows in the same way.
        self.sources.lines.append(Line("", at.file, at.number))

    def inline(self, at: Line) -> str:
        """Return the line with a placeholder for each shortcode."""

        def placeholder(match: re.Match[str]) -> str:
            self.sources.placeholders.append(self.value(match, at))
            return f"{OPEN}{len(self.sources.placeholders)}{CLOSE}"

        text = _SHORTCODE.sub(placeholder, at.text)
        if "{{<" in text:
            raise _refused(at, "a shortcode that does not end on its line")
        return text

    def value(self, found: re.Match[str], at: Line) -> Placeholder:
        """Return the replacement of one shortcode."""
        if found["literal"] is not None:
            return {"place": at.place, "shortcode": found[0], "literal": found[0][1:-1]}
        match found["call"].split():
            case ["var", name]:
                value = self.variable(name, at)
                return {"place": at.place, "shortcode": found[0], "name": name, "markdown": value}
            case ["var", *_]:
                raise _refused(at, "the shortcode var takes one name")
            case ["include" | "pagebreak" as name, *_]:
                raise _refused(at, f"the shortcode {name} must be on a line of its own")
            case _:
                raise _refused(at, f"unknown shortcode {printable(found[0])}: include, var and pagebreak are supported")

    def variable(self, name: str, at: Line) -> str:
        """Return the text of a variable."""
        value = _lookup(self.variables, name)
        if isinstance(value, str):
            return value
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        if value is None:
            raise _refused(at, f"unknown variable {printable(name)}: it is not in _variables.yml")
        raise _refused(at, f"the variable {printable(name)} is not text: put its value in quotes in _variables.yml")


def _lookup(variables: Mapping[str, object], name: str) -> object:
    """Return the value of a dotted name; None if it is missing."""
    first, _, rest = name.partition(".")
    value = variables.get(first)
    if not rest:
        return value
    return _lookup(cast("Mapping[str, object]", value), rest) if isinstance(value, Mapping) else None


def _text(path: Path, file: str) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise ReportError(f"{file}: not UTF-8 at byte {error.start}") from error


def _refused(at: Line, message: str) -> ReportError:
    return ReportError(f"{at.place}{message}")
