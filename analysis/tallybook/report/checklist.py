"""Reporting checklists filled in from a run: each item with sentences, their sources, and what is missing."""

from __future__ import annotations

import tomllib
from collections import Counter
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import polars as pl

from tallybook.core.markdown import readable
from tallybook.core.wording import counted, shortened
from tallybook.published.comparison import counts
from tallybook.report.data_section import design
from tallybook.study.checklist_items import ITEMS, TITLES
from tallybook.study.clusters import called, joined
from tallybook.study.reference_tables import catalogue
from tallybook.tables.notes import ABSENCES, family_sizes
from tallybook_schemas.vocabulary import WITHOUT_ANSWER

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from tallybook.pipeline import Results
    from tallybook.study.checklist_items import Item

_SHOWN = 12
"""The maximum number of levels, methods and packages that are named; beyond it they are only counted."""
_STATES = ("answered", "answered in part", "open", "not applicable")
_LEAD = """\
Answered from the run. What a run cannot know is left open, by name, for the authors: `[checklist]` in the study file.
"""


class Fact(NamedTuple):
    """A sentence in Markdown, and the source of its numbers."""

    sentence: str
    source: str


class Answer(NamedTuple):
    """A checklist item with the facts that answer it and those that are missing."""

    item: Item
    facts: tuple[Fact, ...]  # facts from the run and from the authors
    unknown: tuple[str, ...]  # what is left open for the authors
    applies: bool = True  # whether the item applies to the study at all

    @property
    def state(self) -> str:
        """The degree to which the item is answered."""
        if not self.applies:
            return "not applicable"
        return ("answered" if self.facts else "open") if not (self.facts and self.unknown) else "answered in part"


@cache
def wordings() -> dict[str, dict[str, str]]:
    """Read the wording of each fact: `says`, `source`, and `lacking`, the text that is shown if the fact is missing."""
    return tomllib.loads((Path(__file__).parent / "assets" / "checklist.toml").read_text(encoding="utf-8"))


def answers(results: Results, provenance: Mapping[str, Any]) -> list[Answer]:
    """Answer every checklist item from a run; `provenance` is the manifest's content, with the versions."""
    values = {**_of_study(results), **_of_run(results, provenance), **_of_estimates(results)}
    known: dict[str, Fact | None] = {}
    for name, wording in wordings().items():
        try:
            known[name] = Fact(wording["says"].format_map(values), wording["source"])
        except KeyError:
            known[name] = None
    return [_answer(item, known, results.loaded.study.checklist.get(item.name)) for item in ITEMS]


def _answer(item: Item, known: Mapping[str, Fact | None], own: str | None) -> Answer:
    facts = tuple(fact for name in item.facts if (fact := known[name]) is not None)
    if own is not None:
        return Answer(item, (*facts, Fact(readable(own), "study file, checklist")), ())
    if item.facts == ("hand-codes",) and not facts:
        return Answer(item, (Fact("No response was coded by people.", "study file, overrides"),), (), applies=False)
    lacking = [one for name in item.facts if known[name] is None and (one := wordings()[name].get("lacking"))]
    return Answer(item, facts, (*lacking, *([item.unknown] if item.unknown else [])))


def checklist(results: Results, provenance: Mapping[str, Any], level: int = 2) -> str:
    """Format the checklists as Markdown, with headings of the given level."""
    found = answers(results, provenance)
    parts = [_LEAD]
    for name, title in TITLES.items():
        own = [one for one in found if one.item.checklist == name]
        states = Counter(one.state for one in own)
        said = ", ".join(f"{number} {state}" for state in _STATES if (number := states[state]))
        parts.append(f"{'#' * level} {title}\n\n{len(own)} items: {said}.\n")
        parts += [_item(one) for one in own]
    return "\n".join(parts)


def _item(answer: Answer) -> str:
    asks = f"{answer.item.asks[:1].upper()}{answer.item.asks[1:]}"
    number = f"{answer.item.number}. " if answer.item.number[-1].isdigit() else ""
    lines = [f"**{number}{asks}** ({answer.state})\n"]
    lines += [f"- {fact.sentence} (`{fact.source}`)" for fact in answer.facts]
    lines += [f"- *Open:* {readable('; '.join(answer.unknown))}."] if answer.unknown else []
    return "\n".join([*lines, ""])


def _some(names: Iterable[str]) -> str:
    return shortened(map(readable, names), _SHOWN)


def _share(part: int, whole: int) -> str:
    return f"{part:,} of {whole:,} ({part / whole:.1%})" if whole else f"{part:,}"


def _of_study(results: Results) -> dict[str, str]:
    """Return the placeholders' values that come from the study file."""
    study = results.loaded.study
    every = [study.instrument] if study.instrument else study.instruments.values()
    tables = study.references.values()
    known = [catalogue()[table.bundled] for table in tables if table.bundled in catalogue()]
    references = [f"{one.label}: {one.source}" for one in known]
    references += [table.label for table in tables if table.bundled not in catalogue()]
    factors = [f"{one.label} ({counted(len(one.levels), 'level')})" for one in study.factors.values()]
    words = {
        "instruments": _some(dict.fromkeys(str(getattr(one, "kind", "another package's")) for one in every)),
        "factors": _some(factors),
    }
    if references:
        words["references"] = _some(dict.fromkeys(references))
    if study.cluster is not None:
        column = joined(study.cluster)
        words["independence"] = "All responses are treated as independent of each other"
        if column is not None:
            clusters = readable(called(study, column))
            words["independence"] = (
                f"Standard errors and tests treat clusters as independent, not responses: {clusters}"
            )
    if (known := study.publication) is not None:
        words["publication"] = readable(f"{', '.join(known.authors)} ({known.year}), {known.title}")
        if known.repository:
            words["repository"] = readable(known.repository + (f", commit {known.commit[:12]}" if known.commit else ""))
    return words


def _of_run(results: Results, provenance: Mapping[str, Any]) -> dict[str, str]:
    """Return the placeholders' values that come from reading and coding the responses."""
    study, source = results.loaded.study, results.source
    made = source.statuses_of_responses
    by_model = dict(made.group_by("model", maintain_order=True).agg(pl.col("count").sum()).iter_rows())
    statuses = dict(made.group_by("status").agg(pl.col("count").sum()).sort("status").iter_rows())
    total = sum(statuses.values())
    unusable = [f"{status} {_share(number, total)}" for status, number in statuses.items() if status != "ok"]
    kinds = [status for status in WITHOUT_ANSWER if not statuses.get(status)]
    has_code = pl.col("category").is_not_null() | pl.col("value").is_not_null()
    coded = dict(results.tally.group_by("outcome").agg(pl.col("count").filter(has_code).sum()).iter_rows())
    uncoded = source.uncoded.group_by("outcome", maintain_order=True).agg(pl.col("count").sum()).iter_rows()
    uncoded = [f"{readable(study.outcomes[name].label)} {number:,}" for name, number in uncoded]
    left, read = (sum(getattr(one, name) for one in source.dump.left_out) for name in ("left_out", "read"))
    licences = [f"{name}: {licence}" for name, licence in provenance["licences"].items() if licence]
    words = {
        "versions": ", ".join(readable(f"{name} {number}") for name, number in provenance["versions"].items()),
        "responses": counted(total, "response"),
        "files": counted(len(source.dump.files), "file"),
        "by_model": _some(f"{name} ({number:,})" for name, number in by_model.items()),
        "number_of_models": counted(len(by_model), "model"),
        "models": _some(by_model),
        "coded": "; ".join(
            f"{readable(one.label)} {_share(coded.get(name, 0), total)}" for name, one in study.outcomes.items()
        ),
        "no_answer": (
            f"Responses that are not usable in full: {'; '.join(unusable)}."
            if unusable
            else "Every response is usable in full."
        )
        + (f" None is {' or '.join(kinds)}." if kinds else ""),
        "left_out": f"Left out by the study's conditions: {_share(left, read)} responses."
        if left
        else "No response that was read was left out.",
        "uncoded": f"Answers that no rule could read: {'; '.join(uncoded)}." if uncoded else "Every answer was read.",
        "digest": provenance["study_file_sha256"][:12],
        "inputs": counted(len(provenance["inputs"]), "input file"),
        "seed": str(provenance["seed"]),
    }
    if licences:
        words["licences"] = _some(licences)
    if "item" in source.rows.collect_schema().names():
        words["design"] = design(results)
    if source.by_hand is not None:
        words |= {"by_hand": counted(source.by_hand.coded, "response"), "changed": f"{source.by_hand.changed:,}"}
    if results.comparison is not None:
        compared, left_out = results.comparison.height, sum(results.not_compared.values())
        words["compared"] = f"{compared:,} of {compared + left_out:,}"
        verdicts = counts(results.comparison).items()
        words["verdicts"] = ", ".join(f"{number:,} {name.replace('-', ' ')}" for name, number in verdicts)
    return words


def _of_estimates(results: Results) -> dict[str, str]:
    """Return the placeholders' values that come from the estimates."""
    estimates = results.estimates
    found = estimates.filter(pl.col("estimate").is_not_null())
    bounded = found.filter(pl.col("ci_low").is_not_null() & pl.col("ci_high").is_not_null())
    lacking = estimates.filter(pl.col("status") != "ok").group_by(pl.col("estimate").is_not_null(), "status").len()
    absent = [
        f"{number:,} {'have no interval or test' if exists else 'do not exist'} ({ABSENCES.get(status, status)})"
        for exists, status, number in lacking.sort("estimate", "status").iter_rows()
    ]
    sizes = family_sizes(results.loaded.study, estimates)
    families = [f"{readable(name)} {' and '.join(f'{size:,}' for size in own)}" for name, own in sorted(sizes.items())]
    methods = estimates["method"].drop_nulls().unique().sort().to_list()
    levels = ", ".join(f"{level:.0%}" for level in sorted(bounded["confidence"].drop_nulls().unique()))
    return {
        "estimates": counted(found.height, "estimate"),
        "intervals": f"{bounded.height:,}",
        "levels": levels or "of no level",
        "absent": f"Of {counted(estimates.height, 'estimate')}, {'; '.join(absent)}."
        if absent
        else "Every estimate exists.",
        "methods": _some(one for one in methods if one != "missing"),
        "tests": counted(estimates.filter(pl.col("p_value").is_not_null()).height, "p value"),
        "adjusted": f"Adjusted within families, of size: {'; '.join(families)}."
        if families
        else "No p value is adjusted.",
    }
