"""The study file: what it may say, and that every name one part uses is declared by another."""

from __future__ import annotations

import re
import tomllib
from copy import deepcopy
from typing import Any

import pytest
from pydantic import ValidationError

from tallybook.core.resources import STUDIES
from tallybook.study.loading import load
from tallybook.study.model import Study
from tallybook.study.sources import KeyedJsonSource
from tests.conftest import DECLARATION

FULL: dict[str, Any] = DECLARATION | {
    "analyses": {
        "share": {"statistic": "proportion", "outcomes": ["politics"], "by": ["model", "dimension", "group"]},
        "test": {"statistic": "binomial-test", "outcomes": ["politics"], "by": ["group"], "reference": "census"},
        "deviation": {"statistic": "deviation-score", "of": "test", "by": ["group"]},
        "stereotype": {
            "statistic": "stereotype-score",
            "outcomes": ["politics"],
            "by": ["model"],
            "between": "group",
            "within": "dimension",
            "categories": {"politics": ["left", "right"]},
        },
        "jobs": {"statistic": "most-frequent", "outcomes": ["job"], "by": ["group"]},
        "moods": {"statistic": "score-summary", "outcomes": ["mood"], "by": ["group"]},
    },
    "tables": [
        {
            "id": "{number}",
            "for_each": ["model"],
            "outcomes": ["politics"],
            "where": {"dimension": "age"},
            "title": "T",
            "rows": ["group"],
            "columns": ["term"],
            "row_n": "share",
            "measures": [{"id": "share", "parts": [{"style": "number", "statistic": "percent", "analysis": "share"}]}],
        }
    ],
    "figures": [
        {
            "kind": "stacked-bars",
            "id": "1",
            "title": "F",
            "analysis": "share",
            "outcome": "politics",
            "terms": ["left", "right", "refusal"],
            "x": "group",
            "panels": "dimension",
            "panel_rows": "model",
            "where": {"dimension": "age"},
        }
    ],
}
SOURCE = "sources.0.keyed-json."
RECORD = "file, key, status, folder, group, prompt, sample, text, politics_label, job_label, height, mood, prompt_text"
MADE = f"{RECORD}, item, model"
FACTORS = "model, dimension, group"
ANALYSES = "share, test, deviation, stereotype, jobs, moods"
TAKEN = "this column has another meaning; choose another name"


def _changed(path: str, value: object) -> dict[str, Any]:
    """The full declaration with one value set (or, for None, removed)."""
    changed = deepcopy(FULL)
    *way, last = (int(part) if part.isdigit() else part for part in path.split("/"))
    table: Any = changed
    for part in way:
        table = table[part]
    if value is None:
        del table[last]
    else:
        table[last] = value
    return changed


def _faults(declaration: dict[str, Any]) -> list[str]:
    with pytest.raises(ValidationError) as error:
        Study.model_validate(declaration)
    return [
        f"{'.'.join(map(str, fault['loc']))}: {fault['msg'].removeprefix('Value error, ')}"
        for fault in error.value.errors()
    ]


def test_the_full_declaration_is_good() -> None:
    study = Study.model_validate(FULL)
    assert study.outcomes["politics"].label == "Politics"
    assert study.category_outcome("politics").terms == ("left", "right", "any")
    with pytest.raises(ValueError, match="outcome 'job' has no categories"):
        study.category_outcome("job")


@pytest.mark.parametrize("path", sorted(STUDIES.glob("*/study.toml")), ids=lambda path: path.parent.name)
def test_the_published_studies_are_good(path: Any) -> None:
    assert Study.model_validate(tomllib.loads(path.read_text(encoding="utf-8"))).name == path.parent.name


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("analyses/share/by", ["modl"], f"analyses.share.by: no factor 'modl'; declared: {FACTORS}"),
        ("analyses/share/outcomes", ["x"], "analyses.share.outcomes: no outcome 'x'; declared: politics, job, mood"),
        ("analyses/test/reference", "us", "analyses.test.reference: no reference 'us'; declared: census"),
        ("analyses/deviation/of", "share", "analyses.deviation.of: no binomial test 'share'; declared: test"),
        ("analyses/deviation/by", ["x"], f"analyses.deviation.by: no factor 'x'; declared: {FACTORS}"),
        ("analyses/stereotype/between", "x", f"analyses.stereotype.between: no factor 'x'; declared: {FACTORS}"),
        ("analyses/stereotype/within", "x", f"analyses.stereotype.within: no factor 'x'; declared: {FACTORS}"),
        ("analyses/stereotype/categories", {"politics": ["centre"]},
         "analyses.stereotype.categories.politics: no category 'centre'; declared: left, right, any"),
        ("analyses/stereotype/categories", {"polits": ["left"]},
         "analyses.stereotype.categories: no outcome 'polits'; declared: politics"),
        ("analyses/stereotype/categories", {"job": ["x"]},
         "analyses.stereotype.categories: no outcome 'job'; declared: politics"),
        ("references/census/by", ["grp"], f"references.census.by: no factor 'grp'; declared: {FACTORS}"),
        ("tables/0/for_each", ["modl"], f"tables[1].for_each: no factor 'modl'; declared: {FACTORS}, outcome"),
        ("tables/0/where", {"modl": "x"}, f"tables[1].where: no factor 'modl'; declared: {FACTORS}, outcome"),
        ("tables/0/where", {"model": "beta"}, "tables[1].where.model: no level 'beta'; declared: zeta, alpha"),
        ("tables/0/where", {"outcome": "x"}, "tables[1].where.outcome: no level 'x'; declared: politics, job, mood"),
        ("tables/0/rows", ["measure"], f"tables[1].rows: no factor 'measure'; declared: {FACTORS}, outcome, term"),
        ("tables/0/columns", ["x"], f"tables[1].columns: no factor 'x'; declared: {FACTORS}, outcome, term, measure"),
        ("tables/0/outcomes", ["x"], "tables[1].outcomes: no outcome 'x'; declared: politics, job, mood"),
        ("tables/0/row_n", "x", f"tables[1].row_n: no analysis 'x'; declared: {ANALYSES}"),
        ("tables/0/measures/0/parts/0/analysis", "x",
         f"tables[1].measures[1].parts[1].analysis: no analysis 'x'; declared: {ANALYSES}"),
        ("figures/0/analysis", "x", f"figures[1].analysis: no analysis 'x'; declared: {ANALYSES}"),
        ("figures/0/outcome", "x", "figures[1].outcome: no outcome 'x'; declared: politics, job, mood"),
        ("figures/0/x", "x", f"figures[1].x: no factor 'x'; declared: {FACTORS}"),
        ("figures/0/panels", "x", f"figures[1].panels: no factor 'x'; declared: {FACTORS}"),
        ("figures/0/where", {"dimension": "sex"}, "figures[1].where.dimension: no level 'sex'; declared: age"),
        ("key", ["modl"], f"sources[1]: key: no column 'modl'; declared: {MADE}, dimension"),
        ("factors/dimension/derive/from", "grp",
         f"sources[1]: factors.dimension: no column 'grp'; declared: {MADE}"),
        ("factors/sex", {"label": "Sex", "levels": {"male": "Male"}},
         f"sources[1]: factors.sex: no column 'sex'; declared: {MADE}, dimension"),
        ("outcomes/job/attribute", "job",
         f"sources[1]: outcomes.job.attribute: no column 'job'; declared: {MADE}, dimension"),
        ("outcomes/politics/attribute", "height",
         "sources[1]: outcomes.politics.attribute: 'height' is a number, not a label"),
        ("factors/status", {"label": "S", "levels": {"ok": "OK"}}, f"factors.status: {TAKEN}"),
        ("factors/category", {"label": "C", "levels": {"a": "A"}}, f"factors.category: {TAKEN}"),
        ("outcomes/text", {"kind": "label", "label": "T", "attribute": "text"}, f"outcomes.text: {TAKEN}"),
        ("outcomes/group", {"kind": "label", "label": "G", "attribute": "job_label"}, f"outcomes.group: {TAKEN}"),
    ],
)  # fmt: skip
def test_names_that_no_part_declares(path: str, value: object, message: str) -> None:
    assert _faults(_changed(path, value)) == [f": {message}"]


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("require", ["txt"], "require: no column 'txt'; declared: text, politics_label, job_label, height, mood"),
        ("status", [{"status": "refused", "when_missing": "atributes"}],
         "status: no column is read from the path 'atributes'"),
        ("status", [{"status": "refused", "when_missing": "attribute"}],
         "status: no column is read from the path 'attribute'"),
        ("lookups/0/file", "prompts/{kind}.csv",
         "lookups.file: no captured part 'kind'; declared: folder, group, prompt, sample"),
        ("lookups/0/row", "promt", "lookups.row: no whole number 'promt'; declared: prompt, sample"),
        ("lookups/0/row", "folder", "lookups.row: no whole number 'folder'; declared: prompt, sample"),
        ("lookups/0/take", {"text": "prompt"}, "more than one column 'text'"),
        ("columns/prompt", {"path": "prompt"}, "more than one column 'prompt'"),
        ("files", "{file}/{group}.json", "more than one column 'file'"),
        ("key", "{group}_{sample:int}",
         "lookups.row: no whole number 'prompt'; declared: sample\nmore than one column 'group'"),
        ("files", "{group}/{group}.json", "more than one column 'group'"),
        ("derive/item/from", "prmpt", f"derive.item.from: no column 'prmpt'; declared: {RECORD}"),
        ("derive/item", {"from": "model", "extract": "(.)"},
         f"derive.item.from: no column 'model'; declared: {RECORD}"),
    ],
)  # fmt: skip
def test_columns_of_a_source(path: str, value: object, message: str) -> None:
    assert _faults(_changed(f"sources/0/{path}", value)) == [f"sources.0.keyed-json: {message}"]


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("titel", "x", "titel: Extra inputs are not permitted"),
        ("style", {"roundin": "half-up"}, "style.roundin: Extra inputs are not permitted"),
        ("style", {"rounding": "up"}, "style.rounding: Input should be 'half-even', 'half-up' or 'truncate'"),
        ("style", {"stars": {"*": 1.5}}, "style.stars.*: Input should be less than or equal to 1"),
        ("style", {"stars": {"*": float("nan")}}, "style.stars.*: Input should be a finite number"),
        ("name", "my study", "name: String should match pattern '^[A-Za-z][A-Za-z0-9_.-]*$'"),
        ("name", "../x", "name: String should match pattern '^[A-Za-z][A-Za-z0-9_.-]*$'"),
        ("sources", [], "sources: Tuple should have at least 1 item after validation, not 0"),
        ("outcomes", {}, "outcomes: Dictionary should have at least 1 item after validation, not 0"),
        ("title", None, "title: Field required"),
        ("sources/0/derive/item", {"from": "prompt_text"},
         f"{SOURCE}derive.item: exactly one of 'map', 'extract', 'bands', 'combine', 'compute', 'pick' and 'cases'"),
        ("sources/0/derive/item", {"from": "prompt_text", "map": {}, "extract": "(.)"},
         f"{SOURCE}derive.item: exactly one of 'map', 'extract', 'bands', 'combine', 'compute', 'pick' and 'cases'"),
        ("sources/0/derive/item", {"from": "prompt_text", "extract": "("},
         f"{SOURCE}derive.item: extract '(' is not a regular expression: unclosed group"),
        ("sources/0/derive/item", {"from": "prompt_text", "extract": "of .+"},
         f"{SOURCE}derive.item: extract 'of .+' has no group"),
        ("sources/0/lookups/0/take", {},
         f"{SOURCE}lookups.0.take: Dictionary should have at least 1 item after validation, not 0"),
        ("sources/0/columns/height/type", "int",
         f"{SOURCE}columns.height.type: Input should be 'string', 'integer' or 'number'"),
        ("sources/0/status/0/status", "ok", None),
        ("instrument", {"kind": "profile", "unmapped": "drop"},
         "instrument.profile.unmapped: Input should be 'report' or 'error'"),
        ("instrument", {"kind": "profile", "block": {"job": []}},
         "instrument.profile.block.job: Tuple should have at least 1 item after validation, not 0"),
        ("instrument", {"kind": "profile", "refusal_phrases": [""]},
         "instrument.profile.refusal_phrases.0: String should have at least 1 character"),
        ("outcomes/politics/labels", {"left": ["a"], "right": ["a"]},
         "outcomes.politics.category: labels: 'a' means more than one category"),
        ("outcomes/politics/labels", {"left": ["a", "a"], "right": []},
         "outcomes.politics.category: labels: 'a' means more than one category"),
        ("outcomes/politics/unions", {"any": ["left", "centre"]},
         "outcomes.politics.category: unions.any: no category 'centre'; declared: left, right"),
        ("outcomes/politics/unions", {"left": ["right"]},
         "outcomes.politics.category: both a union and a category: left"),
        ("outcomes/politics/whole", {"x": "centre"},
         "outcomes.politics.category: whole: no category 'centre'; declared: left, right"),
        ("outcomes/politics/order", ["left", "any"],
         "outcomes.politics.category: order: expected every category and union once"),
        ("analyses/stereotype/epsilon", float("inf"),
         "analyses.stereotype.stereotype-score.epsilon: Input should be a finite number"),
        ("analyses/share/confidence", 1, "analyses.share.proportion.confidence: Input should be less than 1"),
        ("tables/0/measures", [FULL["tables"][0]["measures"][0]] * 2,
         "tables.0: more than one measure, but 'measure' is not among the columns"),
        ("tables/0/rows", [], "tables.0: exactly one of 'rows' and 'blocks'"),
    ],
)  # fmt: skip
def test_wrong_settings(path: str, value: object, message: str | None) -> None:
    faults = _faults(_changed(path, value))
    assert faults == [message] if message else len(faults) == 1


@pytest.mark.parametrize("extra", ["ignore", "error"])
def test_a_status_may_rest_on_an_ignored_path(extra: str) -> None:
    source = deepcopy(FULL["sources"][0]) | {"extra": extra, "status": [{"status": "error", "when_missing": "id"}]}
    if extra == "ignore":
        assert KeyedJsonSource.model_validate(source).status[0].when_missing == "id"
    else:
        with pytest.raises(ValidationError, match="no column is read from the path 'id'"):
            KeyedJsonSource.model_validate(source)


def test_sources_of_one_edition_agree_on_types() -> None:
    declaration = deepcopy(FULL)
    other = deepcopy(declaration["sources"][0])
    other["columns"]["height"]["type"] = "number"
    declaration["sources"].append(other)
    assert _faults(declaration) == [": sources[3]: column 'height' is of another type in another source"]
    other["edition"] = "later"
    Study.model_validate(declaration)


def test_columns_that_a_source_makes() -> None:
    made = KeyedJsonSource.model_validate(FULL["sources"][0]).made
    assert made == {
        **dict.fromkeys(("file", "key", "status", "folder", "group"), "string"),
        **dict.fromkeys(("prompt", "sample"), "integer"),
        "text": "string", "politics_label": "string", "job_label": "string", "height": "integer", "mood": "number",
        "prompt_text": "string", "item": "string", "model": "string",
    }  # fmt: skip


class TestAttributesInTheText:
    """With `attributes = "text"` the outcomes are coded from what the block names."""

    def _declaration(self, **instrument: Any) -> dict[str, Any]:
        return _changed("instrument", {"kind": "profile", "attributes": "text"} | instrument)

    def test_names_of_the_block_are_columns(self) -> None:
        declaration = self._declaration(block={"work": ["Occupation"]})
        declaration["outcomes"]["job"]["attribute"] = "work"
        Study.model_validate(declaration)

    def test_other_names_are_not(self) -> None:
        declaration = self._declaration(block={"work": ["Occupation"]})
        declaration["outcomes"]["job"]["attribute"] = "wrk"
        assert _faults(declaration)[0].startswith(": sources[1]: outcomes.job.attribute: no column 'wrk'; declared: ")

    def test_a_text_must_be_read(self) -> None:
        declaration = self._declaration()
        columns = declaration["sources"][0]["columns"]
        columns["answer"] = columns.pop("text")
        declaration["sources"][0]["require"] = []
        assert _faults(declaration)[0].startswith(": sources[1]: instrument.attributes: no column 'text'; declared: ")


def test_scores_of_texts_need_no_attribute() -> None:
    declaration = _changed("outcomes/mood/attribute", "none")
    declaration["outcomes"]["mood"]["scorer"] = "textblob-polarity"
    Study.model_validate(declaration)


def test_a_study_is_read_only() -> None:
    study = Study.model_validate(FULL)
    with pytest.raises(ValidationError, match="frozen"):
        study.name = "other"


def _declared(**changes: Any) -> dict[str, Any]:
    """The published study's declaration without tables and figures, changed."""
    content = load("wang2025").study.model_dump(by_alias=True, exclude_unset=True)
    dropped = ("tables", "figures", "errata", "remarks", "published")
    kept = {key: value for key, value in content.items() if key not in dropped}
    for dotted, value in changes.items():
        *way, last = dotted.split("__")
        inner = kept
        for part in way:
            inner = inner[part]
        inner[last] = value
    return kept


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"analyses__share__by": ["model", "model"]}, "analyses.share.by: 'model' is there more than once"),
        ({"analyses__deviation__by": ["sex"]}, "analyses.deviation.by: no factor of census_test 'sex'"),
        (
            {"analyses__census_test__by": ["model", "group"]},
            "analyses.census_test.by: 'dimension' is missing, by which references.us_population is split",
        ),
        (
            {"analyses__stereotype__by": ["model", "group"]},
            "analyses.stereotype: by, between and within: 'group' is there more than once",
        ),
        (
            {"analyses__stereotype__within": "group"},
            "analyses.stereotype: by, between and within: 'group' is there more than once",
        ),
        (
            {"analyses__stereotype__categories": {"sexual_orientation": ["lgbtq", "bisexual"]}},
            "categories.sexual_orientation, unions taken apart: 'bisexual' is there more than once",
        ),
        (
            {"analyses__share__outcomes": ["occupation"]},
            "analyses.share.outcomes: 'occupation' is a label; a proportion needs a category",
        ),
        (
            {"analyses__occupations__outcomes": ["polarity"]},
            "analyses.occupations.outcomes: 'polarity' is a score; a most-frequent needs a category or reason or label",
        ),
        (
            {"analyses__polarity__outcomes": ["occupation"]},
            "analyses.polarity.outcomes: 'occupation' is a label; a score-summary needs a score",
        ),
        (
            {"outcomes__politics__labels": {"refusal": ["no"]}},
            "'refusal' is how uncoded responses are counted; choose another name",
        ),
        ({"factors__k": {"label": "K", "levels": {"a": "A"}}}, "factors.k: this column has another meaning"),
    ],
)
def test_an_analysis_must_fit_what_it_is_computed_from(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=re.escape(message)):
        Study.model_validate(_declared(**changes))
