"""Facts of a run that checklists ask for, one function a fact."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import polars as pl

from tallybook.core.markdown import readable
from tallybook.core.wording import counted
from tallybook.published.comparison import counts
from tallybook.report.data_section import design
from tallybook.study.clusters import called, joined
from tallybook.study.reference_tables import catalogue
from tallybook.tables.notes import ABSENCES, family_sizes
from tallybook_schemas.vocabulary import WITHOUT_ANSWER

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from tallybook.pipeline import Results

_SHOWN = 12
"""Levels, methods and packages that are named; of others only the number."""


class Fact(NamedTuple):
    """A sentence, as Markdown, and where its numbers come from."""

    sentence: str
    source: str


class Run(NamedTuple):
    """A study's results, and what the manifest says of where they come from."""

    results: Results
    provenance: Mapping[str, Any]


def _some(names: Iterable[str]) -> str:
    every = list(names)
    more = f" and {len(every) - _SHOWN:,} more" if len(every) > _SHOWN else ""
    return ", ".join(map(readable, every[:_SHOWN])) + more


def _share(part: int, whole: int) -> str:
    return f"{part:,} of {whole:,} ({part / whole:.1%})" if whole else f"{part:,}"


def _statuses(run: Run) -> dict[str, int]:
    return run.results.source.by_status


def _publication(run: Run) -> Fact | None:
    known = run.results.loaded.study.publication
    if known is None:
        return None
    said = f"{', '.join(known.authors)} ({known.year}), {known.title}"
    return Fact(f"The data were published with {readable(said)}.", "study file, publication")


def _references(run: Run) -> Fact | None:
    used = [table.bundled for table in run.results.loaded.study.references.values() if table.bundled]
    known = [catalogue()[name] for name in used if name in catalogue()]
    others = [table.label for table in run.results.loaded.study.references.values() if table.bundled not in catalogue()]
    said = list(dict.fromkeys([*(f"{one.label}: {one.source}" for one in known), *others]))
    return Fact(f"Reference distributions: {_some(said)}.", "study file, references") if said else None


def _software(run: Run) -> Fact:
    versions = [f"{name} {number}" for name, number in run.provenance["versions"].items()]
    return Fact(f"Computed with {', '.join(map(readable, versions))}.", "manifest.json, versions")


def _licences(run: Run) -> Fact | None:
    known = {name: licence for name, licence in run.provenance["licences"].items() if licence}
    said = [f"{name}: {licence}" for name, licence in known.items()]
    return Fact(f"Licences: {_some(said)}.", "manifest.json, licences") if said else None


def _size(run: Run) -> Fact:
    statuses = run.results.source.statuses
    by_model = dict(statuses.group_by("model", maintain_order=True).agg(pl.col("count").sum()).iter_rows())
    total = sum(by_model.values())
    each = _some(f"{name} ({number:,})" for name, number in by_model.items())
    files = counted(len(run.results.source.dump.files), "file")
    return Fact(f"{counted(total, 'response')} in {files}; by model: {each}.", "responses.parquet")


def _models(run: Run) -> Fact:
    models = run.results.source.statuses["model"].unique(maintain_order=True).to_list()
    return Fact(f"{counted(len(models), 'model')}, as the data name them: {_some(models)}.", "responses.parquet, model")


def _repetitions(run: Run) -> Fact | None:
    if "item" not in run.results.source.rows.collect_schema().names():
        return None
    return Fact(f"{design(run.results)}.", "responses.parquet, item")


def _groups(run: Run) -> Fact | None:
    study, tally = run.results.loaded.study, run.results.tally
    if tally.is_empty():
        return None
    # An outcome that only some responses are asked for has fewer.
    largest = tally.group_by("outcome").agg(pl.col("count").sum()).sort("count", "outcome", descending=True)
    one = tally.filter(outcome=largest["outcome"][0])
    said: list[str] = []
    for name, factor in study.factors.items():
        if name == "model" or name not in one.columns:
            continue
        found = dict(one.group_by(name).agg(pl.col("count").sum()).iter_rows())
        levels = [f"{label} ({found[level]:,})" for level, label in factor.levels.items() if level in found]
        said.append(f"{readable(factor.label)}: {_some(levels)}" if levels else readable(factor.label))
    return Fact(f"Responses by factor: {'; '.join(said)}.", f"tallies/{one['outcome'][0]}.parquet") if said else None


def _outcomes(run: Run) -> Fact:
    tally = run.results.tally
    has_code = pl.col("category").is_not_null() | pl.col("value").is_not_null()
    total = sum(_statuses(run).values())
    coded = dict(tally.group_by("outcome").agg(pl.col("count").filter(has_code).sum()).iter_rows())
    said = [
        f"{readable(outcome.label)} {_share(coded.get(name, 0), total)}"
        for name, outcome in run.results.loaded.study.outcomes.items()
    ]
    return Fact(f"Responses with a code, by outcome: {'; '.join(said)}.", "tallies, by category and cell")


def _no_answer(run: Run) -> Fact:
    statuses = _statuses(run)
    total = sum(statuses.values())
    said = [f"{status} {_share(statuses[status], total)}" for status in statuses if status != "ok"]
    kinds = [status for status in WITHOUT_ANSWER if not statuses.get(status)]
    none = f" None is {' or '.join(kinds)}." if kinds else ""
    told = f"Responses that are not usable in full: {'; '.join(said)}." if said else "Every response is usable in full."
    return Fact(told + none, "responses.parquet, status")


def _left_out(run: Run) -> Fact:
    left = sum(one.left_out for one in run.results.source.dump.left_out)
    if not left:
        return Fact("No response that was read was left out.", "manifest.json, left_out")
    read = sum(one.read for one in run.results.source.dump.left_out)
    return Fact(f"Left out by the study's conditions: {_share(left, read)} responses.", "manifest.json, left_out")


def _uncoded(run: Run) -> Fact:
    uncoded = run.results.source.uncoded
    outcomes = run.results.loaded.study.outcomes
    found = uncoded.group_by("outcome", maintain_order=True).agg(pl.col("count").sum()).iter_rows()
    said = [f"{readable(outcomes[name].label)} {number:,}" for name, number in found]
    told = f"Answers that no rule could read: {'; '.join(said)}." if said else "Every answer was read."
    return Fact(told, "uncoded.csv" if said else "manifest.json, uncoded")


def _absent(run: Run) -> Fact:
    lacking = run.results.estimates.filter(pl.col("status") != "ok")
    said = [
        f"{number:,} {'have no interval or test' if exists else 'do not exist'} ({ABSENCES.get(status, status)})"
        for exists, status, number in lacking.group_by(pl.col("estimate").is_not_null(), "status")
        .len()
        .sort("estimate", "status")
        .iter_rows()
    ]
    total = counted(run.results.estimates.height, "estimate")
    return Fact(f"Of {total}, {'; '.join(said)}." if said else "Every estimate exists.", "estimates.csv, status")


def _estimates(run: Run) -> Fact:
    found = run.results.estimates.filter(pl.col("estimate").is_not_null())
    bounded = found.filter(pl.col("ci_low").is_not_null() & pl.col("ci_high").is_not_null())
    levels = ", ".join(f"{level:.0%}" for level in sorted(bounded["confidence"].drop_nulls().unique()))
    sizes = found["n"].drop_nulls()
    n = f" n is {sizes.min():,} to {sizes.max():,}." if sizes.len() else ""
    with_interval = f", {bounded.height:,} with an interval{f' ({levels})' if levels else ''}" if bounded.height else ""
    return Fact(f"{counted(found.height, 'estimate')}{with_interval}, each with its n.{n}", "estimates.csv")


def _methods(run: Run) -> Fact:
    methods = run.results.estimates["method"].drop_nulls().unique().sort().to_list()
    return Fact(f"Methods: {_some(one for one in methods if one != 'missing')}.", "estimates.csv, method")


def _independence(run: Run) -> Fact | None:
    study = run.results.loaded.study
    if study.cluster is None:
        return None
    column = joined(study.cluster)
    told = "All responses are treated as independent of each other"
    if column is not None:
        told = (
            f"Standard errors and tests treat clusters as independent, not responses: {readable(called(study, column))}"
        )
    return Fact(f"{told}, unless a table's note says otherwise.", "study file, cluster")


def _tests(run: Run) -> Fact:
    tested = run.results.estimates.filter(pl.col("p_value").is_not_null())
    sizes = family_sizes(run.results.loaded.study, run.results.estimates)
    said = [f"{readable(name)} {' and '.join(f'{size:,}' for size in own)}" for name, own in sorted(sizes.items())]
    adjusted = f"Adjusted within families, of size: {'; '.join(said)}." if said else "No p value is adjusted."
    return Fact(f"{counted(tested.height, 'p value')}. {adjusted}", "estimates.csv, p_value, family_size")


def _instrument(run: Run) -> Fact | None:
    study = run.results.loaded.study
    every = [study.instrument] if study.instrument else study.instruments.values()
    kinds = dict.fromkeys(str(getattr(one, "kind", "another package's")) for one in every)
    return Fact(f"Responses are read by: {_some(kinds)}.", "study file, instrument")


def _computing(run: Run) -> Fact:
    del run
    told = "Wall time and hardware of the analysis (not of collecting the responses) are in the manifest."
    return Fact(told, "manifest.json, wall_seconds, hardware")


def _reproduction(run: Run) -> Fact:
    known = run.provenance
    inputs = counted(len(known["inputs"]), "input file")
    digest = known["study_file_sha256"][:12]
    told = (
        f"The study file (SHA-256 {digest}…), {inputs} with SHA-256, and seed {known['seed']} give the same bytes again"
    )
    return Fact(f"{told}.", "manifest.json")


def _comparison(run: Run) -> Fact | None:
    compared = run.results.comparison
    if compared is None:
        return None
    verdicts, left_out = counts(compared), sum(run.results.not_compared.values())
    said = ", ".join(f"{number:,} {name.replace('-', ' ')}" for name, number in verdicts.items())
    every = f"{compared.height:,} of {compared.height + left_out:,} printed numbers were compared"
    return Fact(f"{every}: {said}.", "comparison.csv")


def _repository(run: Run) -> Fact | None:
    known = run.results.loaded.study.publication
    if known is None or not known.repository:
        return None
    commit = f", commit {known.commit[:12]}" if known.commit else ""
    return Fact(f"The data are in the repository {readable(known.repository + commit)}.", "study file, publication")


def _hand_codes(run: Run) -> Fact | None:
    by_hand = run.results.source.by_hand
    if by_hand is None:
        return None
    told = f"People coded {counted(by_hand.coded, 'response')}, {by_hand.changed:,} of which override the rules."
    return Fact(told, "hand_codes.csv")


FACTS: Mapping[str, Callable[[Run], Fact | None]] = {
    "publication": _publication,
    "references": _references,
    "software": _software,
    "licences": _licences,
    "size": _size,
    "models": _models,
    "repetitions": _repetitions,
    "groups": _groups,
    "outcomes": _outcomes,
    "no-answer": _no_answer,
    "left-out": _left_out,
    "uncoded": _uncoded,
    "absent": _absent,
    "estimates": _estimates,
    "methods": _methods,
    "independence": _independence,
    "tests": _tests,
    "instrument": _instrument,
    "computing": _computing,
    "reproduction": _reproduction,
    "comparison": _comparison,
    "repository": _repository,
    "hand-codes": _hand_codes,
}
"""Name -> what finds the fact; None where the run does not know it."""

LACKING = {
    "publication": "whose data they are",
    "licences": "the licences of the data",
    "independence": "what responses share (no cluster is declared)",
    "repetitions": "how often each item was asked (the data do not say which item a response answers)",
    "repository": "where the data are public",
}
"""Fact -> what is left open where the run does not know it; what has no entry does not apply then."""
