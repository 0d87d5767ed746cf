"""Every format of a validation: what it is for one example, to the byte; and that no text of the data forges anything.

`python -m tests.integration.validation.test_formats` writes the examples anew. `test_official_schemas` holds them
against schemas.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from hypothesis import example as given_example
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from tallybook.validation.model import Failure, Report
from tallybook.validation.writing import FORMATS
from tests.integration.validation.reports import HOSTILE, example, report

GOLDEN = Path(__file__).parent / "golden"


def golden(name: str) -> Path:
    suffixes = {"text": "txt", "github": "txt", "junit": "xml", "markdown": "md"}
    return GOLDEN / f"{name}.{suffixes.get(name, name)}"


def rendered(name: str) -> str:
    text = FORMATS[name](example())
    return re.sub(r'("version": )"\d+\.\d+\.\d+"(?=,\s+"rules")', r'\1"VERSION"', text) + "\n"


@pytest.mark.parametrize("name", FORMATS)
def test_each_format(name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GITHUB_WORKSPACE", raising=False)
    assert rendered(name) == golden(name).read_text(encoding="utf-8")


@pytest.mark.parametrize("name", FORMATS)
def test_without_failures(name: str) -> None:
    text = FORMATS[name](report([]))
    if name == "text":
        assert text == "valid: 2 files, 9 responses (7 ok, 2 refused)\nnote: nothing else"
    if name == "junit":
        assert ET.fromstring(text).find("testsuite").attrib["failures"] == "0"  # noqa: S314  our own
    if name == "jsonl":
        assert text == ""
    if name in {"json", "sarif"}:
        assert json.loads(text)


def test_warnings_fail_when_they_shall() -> None:
    warning = Failure("secrets", "warning", "a.csv", 5, "row 5", "text", "x", "y")
    assert report([warning]).is_valid
    assert not report([warning], "warning").is_valid
    suite = ET.fromstring(FORMATS["junit"](report([warning], "warning")))[0]  # noqa: S314
    assert [case.attrib["name"] for case in suite if case.find("failure") is not None] == ["secrets"]


texts = st.one_of(
    st.sampled_from(HOSTILE),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=30),
    st.lists(st.sampled_from([*"#[]:%\n\r<>&`|*_@!\\{}\x1b\u202e", "::error::", "##[", "]]>", "http://"])).map("".join),
)


def attacked(name: str, text: str) -> tuple[str, Report]:
    fields = {"file": f"a {text}".replace("\0", ""), "key": text, "column": text, "value": text, "expectation": text}
    made = report([Failure("levels", "error", line=None, **fields)])
    return FORMATS[name](made), made


def hostile(test):
    for text in HOSTILE:
        test = given_example(text)(test)
    return given(texts)(test)


def assert_silent(text: str) -> None:
    """Nothing in a text acts on a terminal, and nothing is a command that may stand anywhere in a line."""
    assert all(line.isprintable() for line in text.split("\n"))
    assert not re.search(r"##[A-Za-z]*\[", text)
    assert "abcdefghijklmnopqrstuvwxyz0123456789" not in text


@hostile
def test_no_text_forges_lines(text: str) -> None:
    told, _ = attacked("text", text)
    assert_silent(told)
    lines = told.split("\n")
    assert len(lines) == 3
    assert lines[0].startswith("error: a")
    assert lines[1].startswith("invalid: 1 error; ")


@hostile
def test_no_text_forges_an_annotation(text: str) -> None:
    told, _ = attacked("github", text)
    assert_silent(told)
    lines = told.split("\n")
    assert len(lines) == 2
    settings, message = re.fullmatch(r"::error (file=[^:,]*,title=tallybook%3A levels)::(.*)", lines[0]).groups()
    assert "%" not in re.sub(r"%(25|3A|2C)", "", settings)
    assert "%" not in message.replace("%25", "")


@hostile
def test_no_text_forges_xml(text: str) -> None:
    told, made = attacked("junit", text)
    assert_silent(told)
    root = ET.fromstring(told)  # noqa: S314
    assert [element.tag for element in root.iter()] == ["testsuites", "testsuite", *_cases(made)]
    assert root.find(".//failure").text.startswith("error: a")


def _cases(made: Report) -> list[str]:
    return [tag for check in made.checks for tag in (["testcase", "failure"] if check.worst else ["testcase"])]


@hostile
def test_no_text_forges_json(text: str) -> None:
    for name in ("json", "jsonl", "sarif"):
        told, _ = attacked(name, text)
        assert told.isascii()
        assert_silent(told)
        assert "##" not in told
        assert json.loads(told)
    result = json.loads(told)["runs"][0]["results"][0]
    message = result["message"]["text"]
    assert not re.search(r"(?<!\\)(?:\\\\)*[\[\]]", message)
    assert not re.search(r"[{}]", message.replace("{{", "").replace("}}", ""))
    assert re.fullmatch(
        r"(file://)?[A-Za-z0-9_.~/%-]*", result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    )


@hostile
def test_no_text_forges_markup(text: str) -> None:
    told, _ = attacked("markdown", text)
    assert_silent(told)
    tokens = MarkdownIt("commonmark", {"html": True, "linkify": False}).enable("table").parse(told)
    inner = [token for block in tokens for token in block.children or []]
    assert {token.type for token in inner} <= {"text", "html_inline", "text_special"}
    assert {token.content for token in inner if token.type == "html_inline"} <= {"<code>", "</code>"}
    assert sum(token.type == "tr_open" for token in tokens) == 1 + 4 + 1 + 1
    assert not re.search(r"(?<!\\)(?:\\\\)*(?:https?:|www\.|@)", told)


if __name__ == "__main__":
    for each in FORMATS:
        golden(each).write_text(rendered(each), encoding="utf-8")
