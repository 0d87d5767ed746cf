"""The page on broken dumps is what the program says, tells of every kind of fault, and is well-formed Markdown."""

from __future__ import annotations

import re
from typing import get_args

import pytest
from markdown_it import MarkdownIt

from tallybook.study.check_base import CHECKS
from tallybook.validation.study_data import BUILT_IN
from tests.integration.validation.broken_page import PAGE, anchor, escaped, fenced, page, read_cases

TEXT = PAGE.read_text(encoding="utf-8")


def test_it_is_what_the_program_says() -> None:
    assert page() == TEXT, "python -m tests.integration.validation.broken_page writes it anew"


def test_every_kind_of_fault_is_on_it() -> None:
    told = set(re.findall(r"^(?:error|warning|info): .* \[([^\]]+)\]$", TEXT, flags=re.MULTILINE))
    assert {check.name for check in BUILT_IN} - told == {
        "labels",
        "released",
    }  # told in words at the end; of published studies
    kinds = {one.model_fields["kind"].annotation for one in CHECKS.classes.values()}
    for kind in kinds:
        assert f'kind = "{get_args(kind)[0]}"' in TEXT


def test_it_is_markdown() -> None:
    tokens = MarkdownIt("commonmark").parse(TEXT)
    headings = [tokens[place + 1].content for place, token in enumerate(tokens) if token.type == "heading_open"]
    cases = read_cases()
    sections = list(dict.fromkeys(case.section for case in cases))
    assert len(headings) == 1 + len(sections) + len(cases)
    assert sum(token.type == "fence" and token.info == "console" for token in tokens) == len(cases)
    assert [token.content[:5] for token in tokens if token.type == "html_block"] == ["<!-- "]
    anchors = [anchor(heading) for heading in headings]
    assert len(set(anchors)) == len(anchors)
    links = [child.attrs["href"] for token in tokens for child in token.children or [] if child.type == "link_open"]
    assert {link[1:] for link in links if str(link).startswith("#")} == {anchor(one[3:]) for one in sections}


@pytest.mark.parametrize("text", ["a\n```\nb", "```", "a ``` b", "~~~", "  ````x"])
def test_no_text_ends_its_block(text: str) -> None:
    (token,) = MarkdownIt("commonmark").parse(fenced(text, ""))
    assert token.content == f"{text}\n"


def test_titles_are_no_markup() -> None:
    (_, inline, _) = MarkdownIt("commonmark").parse(escaped("a *b* [c](d) <e> `f` #g | h"))
    assert {child.type for child in inline.children or []} <= {"text", "text_special"}
