"""A drafted study as the text of a study file: with comments, for a person to read and change."""

from __future__ import annotations

from functools import partial
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING, NamedTuple

from tallybook.drafting.toml import document, heading, table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tallybook.study.draft import Draft, Settings

_IN_BRACKETS = "In brackets: 95% confidence intervals."
_BRACES = str.maketrans("{}", "()")
_MOST_PANELS, _MOST_BESIDE = 8, 6
"""How many models a drafted figure shows at most, and how many levels side by side: more stand below each other."""
_MOST_SHOWN = 30
"""How many outcomes of a kind drafted tables and figures show; all are computed."""
_TWO, _MOST_COMPARED = 2, 4
"""How many levels of a factor are compared with each other at most, and how many models stand side by side."""
_ABOUT = [
    "A study: where responses come from, how they are coded, what is computed and how it is shown.",
    "It was drafted from a dump. Every line may be changed; `tallybook validate` says whether it fits the data.",
    "An editor completes it after `tallybook schema study -o study.schema.json`, if its first line is",
    "`#:schema study.schema.json`.",
]
_COMMENTS = {
    "key": "what tells responses apart: no two may be equal in all of these",
    "data": "relative to the folder of this file; a folder outside of it must be confirmed, or named with --data",
    "extra": 'columns that are not named below are passed over; "error" refuses them',
    "samples_by": "responses that are equal in these are repetitions, numbered as they come",
    "files": "relative to the folder of the data",
    "constants": "columns that have the same value everywhere",
}
_CHECKS = {
    "design": "every model has each prompt equally often; missing ones are named",
    "encoding": "mojibake, control characters, texts that were cut off: a warning",
    "requests": "texts that no model wrote, but a request that failed: a warning",
    "secrets": "API keys, e-mail addresses: a warning",
}
_REFUSALS = """\
# [checks.refusals]   # what share of each model's responses may be refused; so with "invalid" and "error"
# kind = "rate"
# status = "refused"
# at_most = 0.2
# by = ["model"]
"""
"""A check whose bound only the user can know."""


def study_text(draft: Draft) -> str:
    """Write a study file."""
    return "\n".join([*_declared(draft), document(_results(draft)).lstrip()])


def _declared(draft: Draft) -> Iterator[str]:
    """Write how responses are read and coded."""
    yield "".join(f"# {line}\n" for line in [*_ABOUT, *(f"TO CHECK: {doubt}" for doubt in draft.doubts)])
    place: Settings = {} if draft.data == "." else {"data": draft.data}
    comments = dict(_COMMENTS)
    if draft.cluster is not None:
        place["cluster"] = draft.cluster
        comments["cluster"] = f"what repeats: {draft.evidence}; [] treats all responses as independent"
    elif "item" in draft.columns:
        place["cluster"] = []
        comments["cluster"] = "responses are treated as independent: too few prompts, names or the like repeat"
    yield table("", {"name": draft.name, "title": draft.title} | place | {"key": draft.key}, comments=comments)
    yield heading("where responses come from")
    yield table("[sources]", draft.source, comments=comments)
    columns = {name: one["path"] if [*one] == ["path"] else one for name, one in draft.columns.items()}
    yield table("sources.columns", columns, "column here -> its path in the files")
    if draft.derive:
        yield table("sources.derive", draft.derive, "columns made of others")
    yield heading("by what results are split: any other level in the data is an error")
    yield '# A table instead of a list says how levels are called in tables: { older = "Older applicants" }\n'
    for name, factor in draft.factors.items():
        levels = {"levels": _names(factor["levels"])}
        yield from _nested(("factors", name), factor | levels, {"levels": "level in the data -> how tables call it"})
    yield heading("how the texts are read")
    yield from _nested(("instrument",), draft.instrument)
    said = {"labels": "category -> the labels that mean it", "names": "category -> how tables call it"}
    for name, outcome in draft.outcomes.items():
        labels = {"labels": _names(outcome["labels"])} if "labels" in outcome else {}
        yield from _nested(("outcomes", name), outcome | labels, said)
    yield heading("what `tallybook validate` checks of the data beside")
    for name, check in draft.checks.items():
        yield table(("checks", name), check, _CHECKS[name])
    yield _REFUSALS
    yield heading("what is computed, and the tables and figures that show it")
    if max(len(draft.categories), len(draft.scores)) > _MOST_SHOWN:
        yield f"# Tables and figures show the first {_MOST_SHOWN} outcomes; all are in estimates.csv.\n"


def _names(settings: Settings) -> Settings | list[str]:
    """List the names of settings that all are themselves."""
    return [*settings] if settings and all(one in (name, [name]) for name, one in settings.items()) else settings


def _nested(path: tuple[str, ...], content: Settings, said: dict[str, str] | None = None) -> Iterator[str]:
    """Write settings, those that are tables below their own headings."""
    is_part = {name: isinstance(one, dict) and name != "where" for name, one in content.items()}
    parts: dict[str, Settings] = {name: one for name, one in content.items() if is_part[name]}
    yield table(path, {name: one for name, one in content.items() if name not in parts})
    for name, part in parts.items():
        if name == "scorings":
            for scoring, conventions in part.items():
                yield table((*path, name, scoring), conventions)
        else:
            yield table((*path, name), part, (said or {}).get(name, ""))


class _Kind(NamedTuple):
    """How outcomes of a kind are counted and shown."""

    analysis: str  # the name of the analysis
    statistic: str
    compared: str  # the statistic that compares levels
    noun: str  # what is compared, in titles
    unit: str
    label: str  # of the column of the estimate
    style: Settings  # of its numbers
    conventions: Settings


# One denominator throughout, so that a difference in one table is that of the shares in another.
_SHARE = _Kind(
    "share", "proportion", "difference", "shares", ", in percentage points", "% [95% CI]",
    {"style": "number", "scale": 100, "digits": 1}, {"denominator": "all"},
)  # fmt: skip
_MEAN = _Kind(
    "mean", "score-mean", "mean-difference", "means", "", "Mean [95% CI]", {"style": "number"}, {}
)  # fmt: skip


def _results(draft: Draft) -> Settings:
    """Declare what is computed and shown."""
    results: Settings = {"analyses": {}, "tables": [], "figures": []}
    labels = [name for name, outcome in draft.outcomes.items() if outcome["kind"] == "label"]
    kinds = [(kind, outcomes) for kind, outcomes in ((_SHARE, draft.categories), (_MEAN, draft.scores)) if outcomes]
    for split in [None, *(name for name in draft.factors if name != "model")]:
        by = ["model"] if split is None else ["model", split]
        suffix = "" if split is None else f"_by_{split}"
        other = _own_cluster(draft, split) or _both_clusters(draft, split)
        for kind, outcomes in kinds:
            declared = {"statistic": kind.statistic, "outcomes": outcomes, "by": by, **kind.conventions, **other}
            results["analyses"][f"{kind.analysis}{suffix}"] = declared
            results["tables"] += [_estimates(draft, kind, outcome, split) for outcome in outcomes[:_MOST_SHOWN]]
        if labels:
            results["analyses"][f"frequent{suffix}"] = {"statistic": "most-frequent", "outcomes": labels, "by": by}
            part = {"analysis": f"frequent{suffix}", "style": "ranked", "top": 5}
            measure = _measure("frequent", "Most frequent", part)
            results["tables"] += [
                _table(one, split, columns=["measure"], measures=[measure]) for one in labels[:_MOST_SHOWN]
            ]
        factor = split or "model"
        levels = _compared(draft, factor)
        if not 1 < len(levels) <= _MOST_COMPARED:
            continue
        other = _own_cluster(draft, split) or ({} if split in draft.nested else _both_clusters(draft, split))
        for kind, outcomes in kinds:
            declared = {"statistic": kind.compared, "outcomes": outcomes, "by": ["model"] if split else []}
            declared |= {"factor": factor, "levels": levels, **kind.conventions}
            several = _tests(draft, kind, outcomes, factor) > 1
            declared |= ({"family": {"method": "holm"}} if several else {}) | other
            name = f"{kind.compared.replace('-', '_')}_by_{factor}"
            results["analyses"][name] = declared
            comparison = partial(_comparison, draft, kind, name, factor=factor, is_one_of_many=several)
            results["tables"] += [comparison(outcome) for outcome in outcomes[:_MOST_SHOWN]]
    if "bias" in draft.scores:
        results["analyses"]["test"] = {"statistic": "t-test", "outcomes": ["bias"], "by": ["model"]}
        results["tables"].append(_test())
    results["tables"] = [{"id": str(number)} | one for number, one in enumerate(results["tables"], start=1)]
    results["figures"] = [{"kind": "points", "id": str(n)} | one for n, one in enumerate(_figures(draft), start=1)]
    return {name: one for name, one in results.items() if one}


def _compared(draft: Draft, factor: str) -> list[str]:
    """List the levels of a factor that are compared with each other."""
    return draft.compared.get(factor) or list(draft.factors[factor]["levels"])


def _in_title(draft: Draft, factor: str) -> list[str]:
    """Name the compared levels for a title, whose braces stand for what is filled in: a level loses its own."""
    return [
        level.translate(_BRACES) if {*level} & {*"{}"} else f"{{factors.{factor}.{level}}}"
        for level in _compared(draft, factor)
    ]


def _own_cluster(draft: Draft, split: str | None) -> Settings:
    """Get the setting of what is split by a factor that the clusters of the study do not fit."""
    return {"cluster": draft.clusters[split] or []} if split in draft.clusters else {}


def _both_clusters(draft: Draft, split: str | None) -> Settings:
    """Declare two clusters that cross, such as names and jobs, where neither is compared."""
    if draft.crossing is None or split in {draft.crossing, draft.cluster}:
        return {}
    return {"cluster": [draft.cluster, draft.crossing], "crossed": True}


def _table(outcome: str, split: str | None, **more: object) -> Settings:
    by = "{factors.model}" if split is None else f"{{factors.model}} and {{factors.{split}}}"
    return {
        "title": f"{{outcomes.{outcome}}} by {by}.",
        "outcomes": [outcome],
        "stub": f"{{factors.{split or 'model'}}}",
        "rows": ["model"] if split is None else ["model", split],
        **more,
    }


def _measure(name: str, label: str, part: Settings) -> Settings:
    return {"id": name} | ({"label": label} if label else {}) | {"parts": [{"statistic": name, **part}]}


def _with_interval(name: str, label: str, part: Settings) -> Settings:
    """Declare a measure of an estimate with its interval in brackets."""
    return _measure(name, label, {**part, "interval": True})


def _style(draft: Draft, kind: _Kind) -> Settings:
    """Get the style of numbers of a kind: those of means by their size."""
    return (
        kind.style
        if kind is _SHARE
        else {**kind.style, "digits": draft.digits} | ({} if draft.digits else {"grouped": True})
    )


def _estimates(draft: Draft, kind: _Kind, outcome: str, split: str | None) -> Settings:
    """Declare a table of shares or means; where they are few, models stand side by side."""
    analysis = kind.analysis if split is None else f"{kind.analysis}_by_{split}"
    part, name = {"analysis": analysis, **_style(draft, kind)}, "percent" if kind is _SHARE else "mean"
    counts = _measure("n", "n", {"analysis": analysis, "value": "n", "style": "number", "digits": 0})
    is_beside = split is not None and _TWO <= len(draft.factors["model"]["levels"]) <= _MOST_COMPARED
    measures = [counts, _with_interval(name, kind.label, part)]
    place: Settings = {"columns": ["measure"]}
    if is_beside:
        place = {"rows": ["term", split] if kind is _SHARE else [split], "columns": ["model", "measure"]}
    elif kind is _SHARE:
        place = {"row_label": "{label} (n = {n})", "row_n": analysis, "columns": ["term"]}
        measures = [_with_interval(name, "", part)]
    return _table(outcome, split, **place, notes=[_IN_BRACKETS], measures=measures)


def _tests(draft: Draft, kind: _Kind, outcomes: list[str], factor: str) -> int:
    """Count the tests of a comparison; a category and its complement are one."""
    pairs = comb(len(_compared(draft, factor)), 2) * (1 if factor == "model" else len(draft.factors["model"]["levels"]))
    categories = (len(draft.outcomes[name]["labels"]) for name in outcomes)
    return pairs * (sum(1 if number == _TWO else number for number in categories) if kind is _SHARE else len(outcomes))


def _comparison(
    draft: Draft, kind: _Kind, analysis: str, outcome: str, *, factor: str, is_one_of_many: bool
) -> Settings:
    """Declare a table of differences between the levels of a factor."""
    names = _in_title(draft, factor)
    is_pair, of_models = len(names) == _TWO, factor == "model"
    between = f"difference in {kind.noun}, {names[0]} − {names[1]}"
    if not is_pair:
        between = f"differences of {kind.noun} between levels of {{factors.{factor}}}"
    # A term of two levels is a category, of more a comparison too.
    rows = [*([] if of_models else ["model"]), *(["term"] if kind is _SHARE or not is_pair else [])] or ["outcome"]
    shown: Settings = {"rows": rows, "columns": ["measure"], "notes": [_IN_BRACKETS]}
    shown["title"] = f"{{outcomes.{outcome}}}: {between}{kind.unit}."
    if kind is _SHARE and of_models:  # the rows are categories
        shown["stub"] = f"{{outcomes.{outcome}}}"
    elif "outcome" in rows:
        shown["stub"] = "Outcome"
    effect = {"analysis": analysis, "value": "effect", "style": "number", "digits": 2}
    tested = {"analysis": analysis, "style": "p-value", "form": "apa"}
    counts = {"analysis": analysis, "value": "n", "style": "number", "digits": 0}
    degrees = {"analysis": analysis, "value": "df", "style": "number", "digits": 0}
    measures = [
        _measure("n", "n", counts),
        _with_interval("difference", "Difference [95% CI]", {"analysis": analysis, **_style(draft, kind)}),
        *([] if kind is _SHARE else [_measure("effect", "Hedges’ g", effect)]),
        *(
            []
            if kind is _SHARE and draft.clusters.get(factor, draft.cluster) is None
            else [_measure("df", "df", degrees)]
        ),
        _measure("p", "p", {"value": "p_value", **tested}),
        *([_measure("p_adjusted", "Adjusted p", {"value": "p_adjusted", **tested})] if is_one_of_many else []),
    ]
    return _table(outcome, None, **shown, measures=measures)


def _test() -> Settings:
    """Declare the table of a test of bias scores."""
    shown = {"t": ("statistic", 2), "df": ("df", 0), "p": (None, 3), "d": ("effect", 2)}
    measures = [
        _measure(
            name,
            name,
            {"analysis": "test"}
            | ({} if value is None else {"value": value})
            | {"style": "number" if value else "p-value", "digits": digits},
        )
        for name, (value, digits) in shown.items()
    ]
    title = "{outcomes.bias} by {factors.model}: is its mean other than 0?"
    return _table("bias", None, columns=["measure"], measures=measures, title=title)


def _figures(draft: Draft) -> Iterator[Settings]:
    for split in [None, *(name for name in draft.factors if name != "model")]:
        if split is None or len(draft.factors["model"]["levels"]) <= _MOST_PANELS:
            by = "by {factors.model}." if split is None else f"by {{factors.{split}}} and {{factors.model}}."
            suffix = "" if split is None else f"_by_{split}"
            place: Settings = {"x": split or "model"} | ({} if split is None else {"panels": "model"})
            place |= {"flip": True} if len(draft.factors[split or "model"]["levels"]) > _MOST_BESIDE else {}
            for kind, outcome in _shown(draft):
                shown: Settings = {"title": f"{{outcomes.{outcome}}} {by}"}
                shown |= {"analysis": f"{kind.analysis}{suffix}", "outcomes": [outcome]}
                if kind is _SHARE:
                    shown |= {"terms": list(draft.outcomes[outcome]["labels"]), "colour": "term", "scale": 100}
                label = "%" if kind is _SHARE else "mean"
                yield shown | place | {"y_label": f"{{outcomes.{outcome}}} ({label})"}
        if split is not None and 1 < len(_compared(draft, split)) <= _MOST_COMPARED:
            for kind, outcome in _shown(draft):
                yield _figure_of_differences(draft, kind, outcome, split)


def _shown(draft: Draft) -> list[tuple[_Kind, str]]:
    categories, scores = draft.categories[:_MOST_SHOWN], draft.scores[:_MOST_SHOWN]
    return [*((_SHARE, name) for name in categories), *((_MEAN, name) for name in scores)]


def _figure_of_differences(draft: Draft, kind: _Kind, outcome: str, factor: str) -> Settings:
    """Declare a forest plot of the differences between levels, of the first category of a share."""
    levels, declared = _compared(draft, factor), draft.factors[factor]["levels"]
    is_pair, category = len(levels) == _TWO, next(iter(draft.outcomes[outcome].get("labels", [""])))
    pairs = list(combinations(levels, 2))
    compared = {f"{one} - {other}": f"{declared[one]} − {declared[other]}" for one, other in pairs}
    if kind is _SHARE:
        compared = {category: category} if is_pair else {f"{category}: {term}": name for term, name in compared.items()}
    said = f", {' − '.join(_in_title(draft, factor))}" if is_pair else f" between levels of {{factors.{factor}}}"
    what = f"{{outcomes.{outcome}}}" + (f" ({category})" if kind is _SHARE else "")
    noun = f"difference in {kind.noun}" if is_pair else f"differences of {kind.noun}"
    shown: Settings = {"title": f"{what}: {noun}{said}, by {{factors.model}}."}
    shown |= {"analysis": f"{kind.compared.replace('-', '_')}_by_{factor}", "outcomes": [outcome]}
    shown |= {} if is_pair and kind is _MEAN else {"terms": list(compared)}
    shown |= {} if is_pair else {"colour": "term", "labels": {"term": compared}}
    shown |= {"x": "model", "flip": True, "line": 0, "line_label": "no difference"}
    unit = "percentage points" if kind is _SHARE else "difference in means"
    return shown | ({"scale": 100} if kind is _SHARE else {}) | {"y_label": unit.capitalize()}
