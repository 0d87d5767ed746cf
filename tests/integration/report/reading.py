"""Rendered reports read back: HTML as a tree, docx as paragraphs and tables, PDF as text."""

from __future__ import annotations

import subprocess
import zipfile
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from tests.programs import program

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

VOID = {"br", "col", "hr", "img", "input", "link", "meta"}
W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"


def squeezed(text: str) -> str:
    """The text with every run of white space, no-break spaces included, as one space, and without word joiners."""
    return " ".join(text.replace("\u2060", "").split())


@dataclass
class Node:
    """An element of HTML."""

    tag: str
    attributes: dict[str, str] = field(default_factory=dict)
    children: list[Node | str] = field(default_factory=list)

    def every(self, tag: str = "", of_class: str = "") -> Iterator[Node]:
        for child in self.children:
            if isinstance(child, str):
                continue
            if (not tag or child.tag == tag) and (not of_class or of_class in child.classes):
                yield child
            yield from child.every(tag, of_class)

    def one(self, tag: str = "", of_class: str = "") -> Node:
        return next(self.every(tag, of_class))

    def by_id(self, identifier: str) -> Node:
        return next(node for node in self.every() if node.attributes.get("id") == identifier)

    @property
    def classes(self) -> list[str]:
        return self.attributes.get("class", "").split()

    @property
    def text(self) -> str:
        return squeezed(self.raw_text())

    def raw_text(self) -> str:
        return "".join(child if isinstance(child, str) else child.raw_text() for child in self.children)


class _Tree(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.root = Node("root")
        self.open = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        node = Node(tag, {name: value or "" for name, value in attrs})
        self.open[-1].children.append(node)
        if tag not in VOID:
            self.open.append(node)

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            while self.open.pop().tag != tag:
                pass

    def handle_data(self, data: str) -> None:
        self.open[-1].children.append(data)


def html(path: Path) -> Node:
    tree = _Tree()
    tree.feed(path.read_text(encoding="utf-8"))
    tree.close()
    return tree.root


@dataclass
class Word:
    """A docx file: the document's tree and the names of its members."""

    body: ET.Element
    members: list[str]

    @property
    def text(self) -> str:
        return squeezed(" ".join(self.text_of(paragraph) for paragraph in self.body.iter(f"{W}p")))

    def text_of(self, element: ET.Element) -> str:
        return squeezed("".join(part.text or "" for part in element.iter(f"{W}t")))

    def style_of(self, paragraph: ET.Element) -> str:
        style = paragraph.find(f"{W}pPr/{W}pStyle")
        return "" if style is None else style.attrib[f"{W}val"]

    def styled(self, style: str) -> list[str]:
        return [self.text_of(each) for each in self.body.iter(f"{W}p") if self.style_of(each) == style]

    def tables(self) -> list[ET.Element]:
        """The tables that hold no other table."""
        return [table for table in self.body.iter(f"{W}tbl") if next(table.iterfind(f".//{W}tbl"), None) is None]

    def rows(self, table: ET.Element) -> list[list[str]]:
        return [[self.text_of(cell) for cell in row.iter(f"{W}tc")] for row in table.iter(f"{W}tr")]


def docx(path: Path) -> Word:
    with zipfile.ZipFile(path) as archive:
        body = ET.fromstring(archive.read("word/document.xml"))  # noqa: S314 - our own output
        return Word(body, archive.namelist())


def pdf_text(path: Path) -> str:
    answer = subprocess.run([program("pdftotext"), "-layout", path, "-"], capture_output=True, text=True, check=True)
    return answer.stdout
