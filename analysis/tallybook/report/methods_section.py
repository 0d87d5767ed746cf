"""The methods section of a report: the conventions of analyses as prose, with sources of methods and programs."""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

import polars as pl

from tallybook.analyses.wording import JACKKNIFE, conditions, outcome_name, over_tests, sentences, series
from tallybook.core.markdown import literal
from tallybook.report.inline.addresses import analyses_named
from tallybook.study.coding import ReasonOutcome, ScoreOutcome
from tallybook.study.naming import within_a_sentence
from tallybook.tables.notes import family_sizes

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from tallybook.pipeline import Results
    from tallybook.study.account import Account
    from tallybook.study.analysis_base import Family
    from tallybook.study.model import Study


class Program(NamedTuple):
    """A program that can change a result."""

    name: str  # its display name
    key: str = ""  # the key of its paper in the bundled bibliography
    author: str = ""  # its authors as in BibTeX, if it has no paper
    url: str = ""  # its website, if it has no paper


PROGRAMS = {
    "tallybook": Program("Tallybook", author="{The Tallybook authors}"),
    "python": Program("Python", author="{Python Software Foundation}", url="https://www.python.org"),
    "polars": Program("polars", author="{The Polars developers}", url="https://pola.rs"),
    "numpy": Program("NumPy", "harris2020"),
    "scipy": Program("SciPy", "virtanen2020"),
    "great-tables": Program(
        "Great Tables", author="Iannone, Richard and Chow, Michael", url="https://posit-dev.github.io/great-tables"
    ),
    "plotnine": Program("plotnine", author="Kibirige, Hassan", url="https://plotnine.org"),
    "matplotlib": Program("Matplotlib", "hunter2007"),
    "textblob": Program("TextBlob", author="Loria, Steven", url="https://textblob.readthedocs.io"),
}
"""A program's name in the manifest -> the program."""

_COMPUTED_WITH = ("polars", "numpy", "scipy")
_DRAWN_WITH = ("great-tables", "plotnine", "matplotlib")


def software(study: Study, versions: Mapping[str, str]) -> str:
    """Return a paragraph that names the programs that computed a study's results."""
    scored = [outcome for outcome in study.outcomes.values() if isinstance(outcome, ScoreOutcome)]
    sentiment = ("textblob",) if any(outcome.scorer != "attribute" for outcome in scored) else ()
    told = f"Data were read, coded and analysed with {_named(('tallybook',), versions)}"
    told += f" on {_named(('python',), versions)}" if "python" in versions else ""
    computed = _named((*_COMPUTED_WITH, *sentiment), versions)
    drawn = _named(_DRAWN_WITH, versions)
    told += f", which computes with {computed}" if computed else ""
    told += f" and draws tables and figures with {drawn}" if drawn else ""
    return f"**Software.** {told}.\n"


def _named(names: Sequence[str], versions: Mapping[str, str]) -> str:
    """Return a series of programs with their versions, each cited by its paper or linked to its website."""
    return series([_program(PROGRAMS[name], versions[name]) for name in names if name in versions])


def _program(program: Program, version: str) -> str:
    name = f"[{program.name}]({program.url})" if program.url else program.name
    return f"{name} {literal(version)}" + (f" [@{program.key}]" if program.key else "")


_MANY = 2
_SENTENCES = re.compile(r"(?<=\.) (?=[A-Z])")


def passages(accounts: Iterable[Account]) -> list[str]:
    r"""Combine accounts of analyses into paragraphs: one for all with the same text; shared sentences of a topic once.

    >>> from tallybook.study.account import Account
    >>> made = [Account("Counts", "They have no test.", "Counts are of", "x", (), cells) for cells in ("a", "b")]
    >>> passages(made)
    ['**Counts.** They have no test. Counts are of x, by a and b.\n']
    >>> texts = (f"Scores are {name}. Their 95% intervals are wide." for name in "ab")
    >>> passages([Account("Scores", text, "They are of", "x") for text in texts])[1]
    'Scores are b. They are of x, over all responses together.\n'
    """
    topics: dict[str, dict[str, dict[tuple[str, str], list[Account]]]] = {}
    for one in accounts:
        topics.setdefault(one.topic, {}).setdefault(one.text, {}).setdefault((one.detail, one.lead), []).append(one)
    made: list[str] = []
    for topic, by_text in topics.items():
        texts = [_sentences(text, detail) for text, by_detail in by_text.items() for detail, _ in by_detail]
        begun, common, said = f"**{topic}.**", set[str].intersection(*map(set, texts)), set[str]()
        for text, by_detail in by_text.items():
            for (detail, _), alike in by_detail.items():
                own = [one for one in _sentences(text, detail) if one not in said]
                made.append(sentences(begun, *own, _paragraph(alike)))
                begun, said = "", common | {*_sentences(text)}
    return made


def _sentences(*texts: str) -> list[str]:
    return [one for text in texts for one in _SENTENCES.split(text) if one]


def _paragraph(accounts: Sequence[Account]) -> str:
    """Write a paragraph or list about analyses with the same text."""
    common = [clause for clause in accounts[0].where if all(clause in one.where for one in accounts)]
    applied: dict[str, dict[tuple[str, ...], list[Account]]] = {}
    for one in accounts:
        own = tuple(clause for clause in one.where if clause not in common)
        applied.setdefault(one.what, {}).setdefault(own, []).append(one)
    told = [_applied(what, by_condition) for what, by_condition in applied.items()]
    shared = f"Only responses where {' and '.join(common)} enter." if common else ""
    begun = sentences(shared, accounts[0].lead)
    if len(told) > _MANY:
        return "\n".join([f"{begun}:\n", *(f"- {one};" for one in told[:-1]), f"- {told[-1]}.", ""])
    return f"{begun} {'; and '.join(told)}.\n"


def _applied(what: str, by_condition: dict[tuple[str, ...], list[Account]]) -> str:
    parts: list[str] = []
    for clauses, accounts in sorted(by_condition.items(), key=lambda item: bool(item[0])):
        where = [f"where {' and '.join(clauses)}"] if clauses else []
        parts.append(", ".join(part for part in (*where, _cells(accounts)) if part))
    return ", ".join(part for part in (what, ", and ".join(parts)) if part)


def _cells(accounts: Sequence[Account]) -> str:
    splits = list(dict.fromkeys(one.cells for one in accounts if one.cells))
    together = [accounts[0].everything] if any(not one.cells for one in accounts) else []
    by = [f"{accounts[0].within} {series(splits)}"] if splits else []
    return " and ".join(part for part in (*together, *by) if part)


def methods_of(results: Results, versions: Mapping[str, str], narrative: Path) -> str:
    """Describe the methods of the analyses that tables, figures and texts show, and of the analyses these depend on."""
    study = results.loaded.study
    named = {name for own in results.tables.analyses.values() for name in own}
    named |= {plot.analysis for figure in study.figures for plot, _ in figure.placed("")}
    named |= {inline.part.analysis for inline in study.numbers.values()} | analyses_named(narrative)
    for name, analysis in reversed(study.analyses.items()):
        named |= {*analysis.sources} if name in named else set()
    shown = {name: one for name, one in study.analyses.items() if name in named}
    study = study.model_copy(update={"analyses": shown or study.analyses})
    estimates = results.estimates.filter(pl.col("analysis").is_in([*study.analyses]))
    is_drawn = estimates.get_column("method").str.contains(_DRAWN).any()
    return methods(study, versions, family_sizes(study, estimates), is_drawn=is_drawn)


_DRAWN = r"\d (draws|permutations|resamples|times)\b"
"""The part of an estimate's method that says how often random numbers were drawn."""


def methods(
    study: Study,
    versions: Mapping[str, str],
    sizes: Mapping[str, Sequence[int]] = MappingProxyType({}),
    *,
    is_drawn: bool = True,
) -> str:
    """Describe the methods of a study's analyses, as an author would write them.

    `study`: The study; apart from the sizes of families, and whether numbers were drawn, it alone determines the text.
    """
    accounts = passages(analysis.account(study) for analysis in study.analyses.values())
    parts = [
        _responses(study),
        *accounts,
        _JACKKNIFE if any(JACKKNIFE in text for text in accounts) else "",
        _tests(study, sizes),
        _resampling(study) if is_drawn else "",
        software(study, versions),
    ]
    return "\n".join(part for part in parts if part)


_JACKKNIFE = (
    f"**Standard errors.** {JACKKNIFE.capitalize()} repeats an analysis without each cluster in turn [@bell2002; "
    "@mackinnon2023], so that responses of one cluster are compared within it.\n"
)


def _responses(study: Study) -> str:
    by_hand = "Codes that people gave win over what the rules say." if study.overrides is not None else ""
    told = sentences(
        "**Responses.** The unit of observation is the response. Coding gives each a status: usable; partial, where "
        "some of what was asked for is missing; refused, where the model declined; or invalid, where nothing is usable "
        "and nothing was declined; shares count an empty response as invalid.",
        *dict.fromkeys(instrument.method for instrument in study.all_instruments),
        by_hand,
        "Refused and invalid responses are counted; whether denominators include them is said below. A failed request "
        "is not a response. An estimate that does not exist, for want of responses, of variation or of a "
        f"reference, is printed as “{literal(study.style.missing)}”, never as 0.",
        *_asked(study),
    )
    return f"{told}\n"


def _asked(study: Study) -> list[str]:
    """Return a sentence for each condition under which outcomes are coded, naming the outcomes with that condition."""
    names: dict[str, list[str]] = {}
    analysed = {name for one in study.analyses.values() for name in one.outcomes_of(study) or ()}
    for name, outcome in study.outcomes.items():
        clauses = [*conditions(study, outcome.where)]
        if isinstance(outcome, ReasonOutcome):
            if name not in analysed:
                continue
            clauses.append("a response has no answer (refused or uncoded)")
        if clauses:
            names.setdefault(" and ".join(clauses), []).append(outcome_name(study, name))
    return [f"Coded only where {which}: {series(own)}." for which, own in names.items()]


def _tests(study: Study, sizes: Mapping[str, Sequence[int]]) -> str:
    """Report the sizes of the families of tests, or that no p-value is adjusted."""
    analyses = study.analyses.values()
    families = {name: one.family for name, one in study.analyses.items() if one.family is not None}
    if families:
        alike: dict[str, dict[str, set[int]]] = {}
        for name, family in families.items():
            own = alike.setdefault(within_a_sentence(study.analyses[name].account(study).topic), {})
            own.setdefault(_each(family), set()).update(sizes.get(name, ()))
        held: list[str] = []
        for topic, by_each in alike.items():
            over = {each: over_tests(sorted(sizes)) for each, sizes in by_each.items() if sizes}
            texts = dict.fromkeys(over.values())
            said = texts if len(texts) < len(over) else [f"{text}{each}" for each, text in over.items()]
            if over:
                verb = "" if held else " are adjusted"
                held.append(f"those of {topic}{verb} {series([one.strip() for one in said])}")
        text = (
            "**Multiple tests.** A family counts hypotheses: a category and its complement are one, a coefficient and "
            "its odds ratio are one, and intercepts are none."
        )
        if any(size not in families for size in sizes):
            text += " Refusals and uncoded responses are a family of their own."
        if any(family.counts == "rows" for family in families.values()):
            text += " Where rows are counted, each row of results with a *p*-value is a test of its own."
        return f"{text} Of the *p*-values, {series(held)}.\n" if held else f"{text}\n"
    if not any(analysis.has_tests for analysis in analyses):
        return ""
    return "**Multiple tests.** No *p*-value is adjusted for the number of tests.\n"


def _each(family: Family) -> str:
    return f"{' in each family' if family.by else ''}{' (rows)' if family.counts == 'rows' else ''}"


def _resampling(study: Study) -> str:
    drawing = [analysis for analysis in study.analyses.values() if analysis.resamples]
    if not drawing:
        return ""
    simulated = "Where a bootstrap distribution has to be simulated, it is from 9,999 resamples. "
    return (
        f"**Random numbers.** {simulated * any(hasattr(one, 'interval') for one in drawing)}Each cell "
        f"draws from a random stream of its own, derived from the seed {study.seed} and the cell’s name [@salmon2011], "
        "so that results do not depend on the order of the data.\n"
    )
