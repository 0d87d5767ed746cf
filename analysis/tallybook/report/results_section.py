"""The results section of a report: responses without an answer, significant tests, widest ranges of estimates."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from tallybook.analyses.bases import BetweenLevels
from tallybook.analyses.comparisons import OfLevels
from tallybook.analyses.differences import TestsCategories
from tallybook.analyses.of_estimates import Combination
from tallybook.analyses.regression import Regression
from tallybook.analyses.wording import factor_name, level_name, outcome_name, outcome_names, series, term_name
from tallybook.core.markdown import literal
from tallybook.report.fragments import reference
from tallybook.report.inline.addresses import Addresses
from tallybook.study.clusters import parts_of
from tallybook.study.coding import Categories
from tallybook.study.number_text import fixed
from tallybook.tables.sets import numbered
from tallybook_schemas.vocabulary import INVALID, REFUSAL, WITHOUT_ANSWER

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tallybook.pipeline import Results
    from tallybook.study.analysis_base import Analysis
    from tallybook.study.model import Study
    from tallybook.study.presentation import TableSet
    from tallybook.tables.parts import Row

_LEVEL = 0.05
"""The significance level in the sentences."""
_INTERCEPT = "Intercept"
"""A term whose test is not reported."""
_SHOWN = 5
"""The maximum number of significant results that a sentence names."""
_ADDRESS = "address"
"""The column with the address of an estimate."""
_LABEL = "label"
"""The column with the label that the table gives a term; null where it gives none."""
_SEVERAL = "several outcomes"
"""The column that says whether the table has several outcomes."""
_COUNTABLE = {"counts": "count", "impact ratios": "impact ratio", "shares": "share"}
"""The results of analyses -> one of them, to be named in a sentence."""
_DIGITS = 9
"""The number of decimals to which complements must agree, since they are computed separately."""
_WITHOUT = {REFUSAL: "refusals", INVALID: "invalid responses"}
"""Responses without an answer -> what they are called in a sentence."""
_HARDLY = "< 0.1%"
"""How a share is printed that is not zero and would be rounded to it."""
_NEARLY = 0.9
"""The fraction of the largest range above which another range counts as equally large."""


def results_text(results: Results) -> str:
    """Write the results: a paragraph on responses without an answer, and one for each analysis that a table shows.

    Estimates are written as variables, so that a sentence that is moved into a narrative keeps its numbers up to date.
    """
    study = results.loaded.study
    said, told, clusters = [_unanswered(results)], set[object](), differing_clusters(study)
    for analysis, shown, rows in _shown(results):
        table = "; ".join(part for part in (clusters.get(analysis), shown) if part)
        if tested := [row for row in rows if row["p_value"] is not None and row["term"] != _INTERCEPT]:
            said.append(_tests(study, untold_hypotheses(study, tested, told), table))
        elif not study.analyses[analysis].is_ranking:
            said.append(_ranges(study, rows, table))
    if any(text.startswith(("None of the ", "Neither of the ")) or " was not significant " in text for text in said):
        said.append("That a test is not significant does not show that there is no difference.")
    return "\n\n".join(text for text in said if text) + "\n"


def _shown(results: Results) -> Iterator[tuple[str, str, list[Row]]]:
    """Yield analysis, table reference and estimates: for each table, those that no earlier table printed."""
    study, told = results.loaded.study, set[object]()
    declared = {number: one for one in study.tables for number, _ in numbered(study, one)}
    addresses = {_key(study, one.estimate): ".".join(one.address) for one in Addresses(study, results.estimates)}
    for table in results.tables.tables:
        printed: dict[str, dict[str, Row]] = {}
        own = declared.get(table.id)
        only_counted = set[str]() if own is None else _only_counted(own)
        labels = {} if own is None else own.labels.get("term", {})
        for row in results.tables.behind.get(table.id, {}).values():
            address = addresses[_key(study, row)]
            if row["analysis"] in only_counted:
                continue
            if row["estimate"] is not None and not told & {address, _refusal_key(study, row)}:
                label = {_LABEL: labels.get(row["term"])}
                printed.setdefault(row["analysis"], {})[address] = {**row, _ADDRESS: address, **label}
        several = len({row["outcome"] for rows in printed.values() for row in rows.values()}) > 1
        named = [{row["outcome"] for row in rows.values()} for rows in printed.values()]
        for analysis, rows in printed.items():
            told |= {*rows, *(_refusal_key(study, row) for row in rows.values())} - {None}
            if (
                study.analyses[analysis].results == "counts"
                and named.count({row["outcome"] for row in rows.values()}) > 1
            ):
                continue  # the table has shares of the same outcomes
            yield analysis, f"@{reference('tbl', table.id)}", [row | {_SEVERAL: several} for row in rows.values()]


def _only_counted(declared: TableSet) -> set[str]:
    """Return the analyses of which a table prints nothing but numbers of responses."""
    parts = [part for measure in declared.measures for part in measure.parts if not declared.blocks]
    shown = {part.analysis for part in parts if getattr(part, "value", "estimate") not in {"n", "clusters"}}
    return {part.analysis for part in parts} - shown


def _refusal_key(study: Study, row: Row) -> tuple[object, ...] | None:
    """Return a key that a refusal or invalid rate shares across the outcomes of an analysis; None for other terms."""
    if row["term"].partition(": ")[0] not in {REFUSAL, INVALID}:
        return None
    return (*_key(study, {**row, "outcome": None}), row["n"], row["estimate"])


def _key(study: Study, row: Row) -> tuple[str | None, ...]:
    """Return the key that identifies an estimate."""
    names = (name for name in study.analyses[row["analysis"]].by if name != "outcome")
    return (row["analysis"], row["outcome"], row["term"], *(row[name] for name in names))


def _unanswered(results: Results) -> str:
    """Report the responses without an answer, and the models with the largest and smallest share."""
    study = results.loaded.study
    by_model: dict[str, dict[str, int]] = {}
    for row in results.source.statuses_of_responses.iter_rows(named=True):
        by_model.setdefault(row["model"], {})[row["status"]] = int(row["count"])
    everything = sum(sum(counts.values()) for counts in by_model.values())
    if not everything:
        return "There are no responses."
    refused = sum(counts.get("refused", 0) for counts in by_model.values())
    invalid = sum(counts.get(status, 0) for counts in by_model.values() for status in ("invalid", "empty"))
    lacking = [("refused", "refused", refused), ("unusable", "invalid", invalid)]
    lacking = [
        (f"{{{{< var responses.{name} >}}}} ({_percent(study, n / everything)})", status, n)
        for name, status, n in lacking
        if n
    ]
    if not lacking:
        return "Every response was answered."
    (first, status, n), *others = lacking
    found = series(
        [f"{first} {'was' if n == 1 else 'were'} {status}", *(f"{said} {other}" for said, other, _ in others)]
    )
    text = f"Of {{{{< var responses.all >}}}} responses, {found} (@{reference('tbl', 'responses')})."
    rates = {
        model: sum(counts.get(status, 0) for status in WITHOUT_ANSWER) / sum(counts.values())
        for model, counts in by_model.items()
    }
    low, high = min(rates, key=rates.__getitem__), max(rates, key=rates.__getitem__)
    most, least = _percent(study, rates[high]), _percent(study, rates[low])
    if most in (least, _HARDLY):
        return text
    return (
        f"{text} The share without an answer was largest with {level_name(study, 'model', high)} ({most}) and smallest "
        f"with {level_name(study, 'model', low)} ({least})."
    )


def _percent(study: Study, share: float) -> str:
    text = fixed(share, 1, scale=100, rounding=study.style.rounding)
    return _HARDLY if share and text == "0.0" else f"{text}%"


def untold_hypotheses(study: Study, rows: list[Row], told: set[object]) -> list[Row]:
    """Return the first test of each hypothesis of an analysis, unless it is in `told`, and add it there."""
    analysis = study.analyses[rows[0]["analysis"]]
    if isinstance(analysis, TestsCategories) or (analysis.family is not None and analysis.family.counts == "rows"):
        return rows
    found = pl.DataFrame([{"outcome": row["outcome"], "term": row["term"]} for row in rows])
    names = found.select(analysis.hypotheses(study, found, found).alias("name"))["name"]
    first: dict[object, Row] = {}
    for row, name in zip(rows, names, strict=True):
        if name is not None:
            first.setdefault(_key(study, {**row, "outcome": None, "term": name}), row)
    new = [row for key, row in first.items() if key not in told]
    told.update(first)
    return new


def _tests(study: Study, rows: list[Row], table: str) -> str:
    """Report which tests of an analysis are significant, smallest p-value first; the smallest p-value if none is."""
    if not rows:
        return ""
    analysis = study.analyses[rows[0]["analysis"]]
    is_adjusted = analysis.family is not None
    p = "p_adjusted" if is_adjusted else "p_value"
    tested = [row for row in _without_complements(study, rows) if row[p] is not None]
    if not tested:
        return ""
    tested.sort(key=lambda row: (row[p], row["p_value"]))
    noun = _noun(study, tested)
    heads = [row["term"].partition(": ")[0] for row in tested]
    without = [f"{number:,} of {named}" for name, named in _WITHOUT.items() if (number := heads.count(name))]
    apart = series(without) if {*heads} - {*_WITHOUT} else ""
    table = "; ".join(part for part in (literal(_pair(study, analysis)), apart, table) if part)
    which = f"{len(tested):,} {noun} ({table})"
    level = f"significant at the 5% level{' after correction for the number of tests' if is_adjusted else ''}"
    found = [row for row in tested if row[p] < _LEVEL]
    if not found:
        none = {2: "Neither"}.get(len(tested), "None")
        none = f"{none} of the {which} was {level}" if len(tested) > 1 else f"The {noun} ({table}) was not {level}"
        smallest = "smallest adjusted" if is_adjusted else "smallest"
        lead = f"; the {smallest} *p*-value was that of" if len(tested) > 1 else ":"
        return f"{none}{lead} {_estimate_phrase(study, tested[0])}."
    shown = "; ".join(_estimate_phrase(study, row) for row in found[:_SHOWN])
    more = f"; and {len(found) - _SHOWN:,} more" if len(found) > _SHOWN else ""
    several = f"Of the {which}, {len(found):,} {'was' if len(found) == 1 else 'were'}"
    if len(found) == len(tested):
        every = {1: "The", 2: "Both"}.get(len(found), f"All {len(found):,}")
        several = f"{every} {noun} ({table}) {'was' if len(found) == 1 else 'were'}"
    return f"{several} {level}: {shown}{more}."


def _noun(study: Study, tested: list[Row]) -> str:
    """Name what is tested: `tests of differences of shares`, `tests of coefficients of rating`, `test of rating`."""
    analysis, outcomes = study.analyses[tested[0]["analysis"]], {row["outcome"] for row in tested}
    of = analysis.outcomes_of(study) or ()
    is_named = analysis.of_responses(study).names_terms or len(outcomes) > 1 or tested[0]["term"] in of
    name = "" if is_named else f"of {outcome_name(study, outcomes.pop())}"
    if len(tested) == 1:
        return f"test {name}".strip()
    if isinstance(analysis, Combination) and analysis.is_difference:
        return f"tests of differences {name.replace('of', 'in', 1)}".strip()
    tests = analysis.results if "test" in analysis.results else f"tests of {analysis.results}"
    return tests if analysis.results.startswith("differences") else f"{tests} {name}".strip()


def differing_clusters(study: Study) -> dict[str, str]:
    """Name the clusters of each analysis that differs in nothing else from another."""
    alike: dict[tuple[str, ...], dict[str, str | None]] = {}
    for name, analysis in study.analyses.items():
        alike.setdefault(_settings(study, name), {})[name] = analysis.cluster_column(study)
    found: dict[str, str] = {}
    for name, column in (one for columns in alike.values() if len({*columns.values()}) > 1 for one in columns.items()):
        parts = [column] if study.analyses[name].crossed_scale is None else parts_of(column or "")
        named = [f"clustered by {factor_name(study, part)}" for part in parts if part]
        found[name] = " and ".join(named) or "responses taken as independent"
    return found


def _settings(study: Study, name: str) -> tuple[str, ...]:
    """Return the settings of an analysis, and of those that it is computed from, apart from clusters."""
    analysis = study.analyses[name]
    own = analysis.model_dump_json(exclude={"cluster", "crossed", "of"})
    return (own, *(one for source in analysis.sources for one in _settings(study, source)))


def _pair(study: Study, analysis: Analysis) -> str:
    """Return the two levels that an analysis compares, such as `Men − Women`; empty if there are none or more."""
    if isinstance(analysis, OfLevels | Combination):
        return analysis.pair(study)
    if not isinstance(analysis, BetweenLevels):
        return ""
    return analysis.pair_in_note(study, "/" if " / " in analysis.pair_term else "−").strip(" ()")


def _without_complements(study: Study, rows: list[Row]) -> list[Row]:
    """Drop the second of two answers with the same test: complements, and pairs that a family counts once."""
    kept: dict[tuple[object, ...], Row] = {}
    for row in rows:
        levels = (row[factor] for factor in study.analyses[row["analysis"]].by)
        term, _, compared = row["term"].partition(": ")
        outcome = study.outcomes[row["outcome"]]
        answers = outcome.terms if isinstance(outcome, Categories) else ()
        # For two answers a family counts one test, whatever the signs of their estimates.
        is_counted_once = isinstance(row["p_adjusted"], float) and term in answers and len(answers) == 2  # noqa: PLR2004
        p, size = (row["p_adjusted"], 0.0) if is_counted_once else (row["p_value"], abs(row["estimate"] or 0.0))
        key = (row["outcome"], *levels, compared, term in answers, round(p, _DIGITS), round(size, _DIGITS))
        other = kept.setdefault(key, row)
        is_same_way = (other["estimate"] or 0) * (row["estimate"] or 0) > 0
        if other is not row and is_same_way and not is_counted_once:  # equal by chance
            kept[*key, row["term"]] = row
    return [*kept.values()]


def _ranges(study: Study, rows: list[Row], table: str) -> str:
    """Report the term with the widest range of estimates, from its smallest to its largest, within one model."""
    analysis = study.analyses[rows[0]["analysis"]]
    of_model: dict[tuple[str, str, str | None], set[float]] = {}
    for row in rows:
        of_model.setdefault((row["outcome"], row["term"], row.get("model")), set()).add(row["estimate"])
    within = "model" if "model" in analysis.by and any(len(own) > 1 for own in of_model.values()) else ""
    terms: dict[tuple[str, str, str], list[Row]] = {}
    for row in rows:
        terms.setdefault((row["outcome"], row["term"], row[within] if within else ""), []).append(row)
    for own in terms.values():
        own.sort(key=lambda row: row["estimate"])
    # The first of those with nearly the widest range: of two complementary answers the second one adds nothing.
    reach = {term: own[-1]["estimate"] - own[0]["estimate"] for term, own in terms.items()}
    widest, own = next((term, own) for term, own in terms.items() if reach[term] >= _NEARLY * max(reach.values()))
    if len(own) == 1:
        return (
            f"The largest estimate was {_estimate_phrase(study, max(rows, key=lambda row: row['estimate']))} ({table})."
        )
    by = series([factor_name(study, name) for name in analysis.by])
    is_share = analysis.notation(study, own[0]["term"], has_df=False).unit == "percent"
    what = _named(study, own[0])
    outcome, mark, category = what.rpartition("“")
    if mark and outcome:
        what = f"{mark}{category} ({outcome.strip()})"
    corrected = "corrected " if analysis.results.startswith("corrected") else ""  # beside which the plain one stands
    if is_share or analysis.results in _COUNTABLE:
        what = f"the {corrected}{'share' if is_share else _COUNTABLE[analysis.results]} of {what}"
    elif analysis.results.endswith("means"):
        what = f"{corrected and f'the {corrected}'}mean {what}"
    if reach[widest] == 0:
        return f"By {by} ({table}), {what} was {_variable(own[0])} throughout."
    most = "varied most" if len(terms) > 1 else "ranged"
    inside = f" within {level_name(study, within, own[0][within])}" if within else ""
    comma = "," if len(terms) > 1 or inside else ""
    first, last = _at(study, own[0], own, within), _at(study, own[-1], own, within)
    return f"By {by} ({table}), {what} {most}{inside}{comma} from {first} to {last}."


def _at(study: Study, row: Row, rows: list[Row], without: str) -> str:
    """Return an estimate with its cell in parentheses, and the cells that share it."""
    equal = [_cell(study, one, without) for one in rows if one is not row and one["estimate"] == row["estimate"]]
    return f"{_variable(row)} ({_cell(study, row, without)}{f'; equal: {series(equal)}' if equal else ''})"


def _variable(row: Row) -> str:
    return f"{{{{< var {row[_ADDRESS]}.apa >}}}}"


def _estimate_phrase(study: Study, row: Row) -> str:
    """Return the cell and the name of an estimate, with its phrase in parentheses."""
    cell, named = _cell(study, row), _named(study, row)
    is_plain = named == outcome_name(study, row["outcome"]) and not _has_outcomes(study, row)
    names = ", ".join(name for name in (cell, "" if is_plain else named) if name)
    return f"{names} ({_variable(row)})" if names else _variable(row)


def _cell(study: Study, row: Row, without: str = "") -> str:
    """Return the levels of the factors that an estimate is for, `without` one of these."""
    by = [one for one in study.analyses[row["analysis"]].by if one in study.factors and one != without]
    return ", ".join(level_name(study, factor, row[factor]) for factor in by)


def _named(study: Study, row: Row) -> str:
    """Return the name of an estimate's term, preceded by its outcome if the analysis has several."""
    analysis = study.analyses[row["analysis"]]
    outcome = study.outcomes[row["outcome"]]
    categories = {*outcome.terms, REFUSAL, INVALID} if isinstance(outcome, Categories) else set[str]()
    is_single = len(analysis.terms(study) or ()) == 1 and not analysis.of_responses(study).names_terms
    if is_single and row["term"].partition(": ")[0] not in categories:
        return outcome_name(study, row["outcome"])
    if isinstance(analysis, Regression) and (compared := analysis.contrast(study, row["term"])):
        return " ".join([*([outcome_name(study, row["outcome"])] if _has_outcomes(study, row) else []), compared])
    if row["term"] in (analysis.outcomes_of(study) or ()):  # the other score of a correlation
        return outcome_names(study, (row["outcome"], row["term"]))
    name = literal(row[_LABEL]) if row[_LABEL] else term_name(study, row["outcome"], row["term"])
    # A position or a rating says nothing by itself.
    names = [outcome_name(study, row["outcome"])] if _has_outcomes(study, row) or name.isdecimal() else []
    category, _, compared = row["term"].partition(": ")
    if category in _WITHOUT:
        compared = f": {name.partition(': ')[2]}" if compared else ""
        return " ".join([*names, f"{_WITHOUT[category]}{compared}"])
    return " ".join([*names, f"“{name}”"])


def _has_outcomes(study: Study, row: Row) -> bool:
    analysis = study.analyses[row["analysis"]]
    has_outcomes = row[_SEVERAL] or len(analysis.outcomes_of(study) or ()) > 1
    return has_outcomes and not analysis.of_responses(study).names_terms
